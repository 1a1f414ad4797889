import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { connection, reached, unreached } from "../../../console/api/connection.ts";

beforeEach(() => vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => {
  reached();
  vi.useRealTimers();
});

test("the service is offline after a time without a response, whichever request fails then", () => {
  unreached(1, 1_000);
  vi.setSystemTime(1_014_000);
  unreached(4, 1_000);
  expect(connection.value).toMatchObject({ state: "reconnecting", attempt: 4, since: 1_000_000 });
  vi.setSystemTime(1_016_000);
  unreached(1, 2_000); // the first attempt of another stream
  expect(connection.value).toEqual({ state: "offline", since: 1_000_000 });
  unreached(2, 2_000);
  expect(connection.value).toEqual({ state: "offline", since: 1_000_000 });
});

test("a response ends it", () => {
  unreached(1, 1_000);
  vi.setSystemTime(1_016_000);
  unreached(2, 1_000);
  reached();
  expect(connection.value).toEqual({ state: "live" });
  unreached(1, 1_000);
  expect(connection.value).toMatchObject({ state: "reconnecting", since: 1_016_000 });
});

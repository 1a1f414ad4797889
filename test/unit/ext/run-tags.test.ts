import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Schemas } from "../../../src/ext/call.ts";
import { startRun, untilState } from "../../support/ext-runs.ts";
import { type ExtService, extService } from "../../support/ext-service.ts";

let service: ExtService;
beforeAll(async () => {
  service = await extService();
});
afterAll(() => service[Symbol.asyncDispose]());

const read = (id: string, etag?: string, query = "") =>
  service.call<Schemas["RunDetail"]>("GET", `/runs/${id}${query}`, {
    headers: etag === undefined ? {} : { "if-none-match": etag },
  });
const tagOf = ({ headers }: { headers: Headers }): string => headers.get("etag") ?? "";

describe("a poll with the ETag of the run", () => {
  test("has no body until the run changes, by an input, a label or a stop", async () => {
    const id = await startRun(service, { input_text: "Work." });
    await untilState(service, id, "finished");
    const first = await read(id);
    expect(tagOf(first)).toMatch(/^W\/"[\w-]{22}"$/);
    const same = await read(id, `"other", ${tagOf(first)}`);
    expect([same.status, same.body, tagOf(same)]).toEqual([304, "", tagOf(first)]);
    await service.call("PATCH", `/runs/${id}`, { body: { labels: { a: "b" } } });
    const labelled = await read(id, tagOf(first));
    expect([labelled.status, labelled.body.labels]).toEqual([200, { a: "b" }]);
    await service.call("POST", `/runs/${id}/input`, { body: { input_text: "More.\ndemo: steps=40 delay=200" } });
    const running = await read(id, tagOf(labelled));
    expect([running.status, running.body.turn]).toEqual([200, 2]);
    await service.call("POST", `/runs/${id}/stop`);
    const stopped = await read(id, tagOf(running));
    expect([stopped.status, stopped.body.status]).toEqual([200, "terminated"]);
    expect((await read(id, tagOf(stopped))).status).toBe(304);
  });

  test("always means that the body is still the same, while a turn works", async () => {
    const id = await startRun(service, { input_text: "Work.\ndemo: steps=12 delay=60" });
    let known = await read(id);
    let unchanged = 0;
    for (;;) {
      const next = await read(id, tagOf(known));
      if (next.status === 200) {
        known = next;
      } else {
        // If the tag still holds after the next read, nothing has changed since the first.
        const whole = await read(id);
        if ((await read(id, tagOf(known))).status !== 304) continue;
        unchanged++;
        expect(whole.body).toEqual(known.body);
        expect(tagOf(whole)).toBe(tagOf(known));
      }
      if (known.body.status !== "running") break;
    }
    expect(unchanged).toBeGreaterThan(0);
    expect(known.body.output).toMatch(/\S/);
  });

  test("waits with `wait`, and has a body when the turn has ended meanwhile", async () => {
    const id = await startRun(service, { input_text: "Work.\ndemo: steps=4 delay=100" });
    const early = await read(id);
    const ended = await read(id, tagOf(early), "?wait=20");
    expect([ended.status, ended.body.status]).toEqual([200, "finished"]);
  });

  test("is refused to others as before, and a run without a turn has no ETag", async () => {
    const id = await startRun(service, { input_text: "Work." });
    await untilState(service, id, "finished");
    const headers = { "if-none-match": tagOf(await read(id)) };
    expect((await service.stranger.call("GET", `/runs/${id}`, { headers })).status).toBe(404);
    const empty = await startRun(service, {});
    expect((await read(empty)).headers.get("etag")).toBeNull(); // it shows the agent's current limits
    const v1 = await fetch(`${service.baseUrl}/v1/agents/${id}`, {
      headers: { "x-api-key": service.apiKey, "if-none-match": "*" },
    });
    expect([v1.status, v1.headers.get("etag")]).toEqual([200, null]);
  });

  test("is compressed when it has a body", async () => {
    const id = await startRun(service, { input_text: `Work. ${"A long input. ".repeat(100)}` });
    await untilState(service, id, "finished");
    const headers = { authorization: `Bearer ${service.apiKey}`, "accept-encoding": "gzip" };
    const response = await fetch(`${service.baseUrl}/ext/v1/runs/${id}`, { headers });
    expect(response.headers.get("content-encoding")).toBe("gzip");
    expect(response.headers.get("etag")).toBe(tagOf(await read(id)));
  });
});

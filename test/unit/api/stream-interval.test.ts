import { expect, test } from "vitest";
import { listEvents } from "../../../src/http/rest/list-events.ts";
import { openCounts } from "../../../src/http/open-counts.ts";
import type { RunDescriber, RunDetail } from "../../../src/runs/read/describe-runs.ts";
import type { Runs } from "../../../src/runs/ports.ts";
import type { Run } from "../../../src/runs/run-types.ts";

const run = { id: "r", status: "running", sequence: 0 } as Run;
const viewers = ["organization", "agent"];

/** Milliseconds between two looks of a stream, while the organization has `others` more open, in all and then after it closed them. */
async function intervalsBeside(others: number, organization = "organization"): Promise<number[]> {
  const streams = openCounts({ each: 5_000 });
  const held = Array.from({ length: others }, () => streams.open([organization, "other agent"]));
  const end = new AbortController();
  const intervals: number[] = [];
  const deps = {
    runs: { head: async () => run } as Partial<Runs> as Runs,
    describer: {
      detail: async () => ({ run }) as RunDetail,
      activityOf: () => undefined,
    } as Partial<RunDescriber> as RunDescriber,
    now: Date.now,
    streamInterval: 200,
    streams,
    texts: {
      of: async () => undefined,
      changed: async (_: string, milliseconds: number) => {
        if (intervals.push(milliseconds) === 2) end.abort();
        for (const each of held) each?.[Symbol.dispose]();
      },
    },
  };
  const request = { id: "q", headers: { accept: "text/event-stream" } } as never;
  const call = { request, query: { after: 0, limit: 100 } };
  const stream = { viewers, wireRun: () => ({}), nameOf: () => null };
  const { body } = await listEvents(deps, run, call, stream);
  if (typeof body !== "function") throw new Error("not a stream");
  for await (const _ of body(end.signal));
  return intervals;
}

test("streams of an organization that has many open look less often, as long as they are open", async () => {
  expect(await intervalsBeside(0)).toEqual([200, 200]);
  expect(await intervalsBeside(499)).toEqual([200, 200]);
  expect(await intervalsBeside(1_999)).toEqual([800, 200]);
  expect(await intervalsBeside(1_999, "another organization")).toEqual([200, 200]);
});

import { expect, test } from "vitest";
import { acceptInputOnce } from "../../../src/runs/control/control-run.ts";
import type { Workflow } from "../../../src/runs/ports.ts";
import type { RunJournalEntry } from "../../../src/runs/run-types.ts";
import { numbered } from "../../platform/run-fixtures.ts";
import { newRun, putAgent } from "../../support/scripted-runs.ts";
import { platforms } from "../../support/platforms.ts";

test.each(platforms)(
  "a repeated input starts its turn again, but not while it waits for answers (%s)",
  async (_, open) => {
    const stores = open();
    await putAgent(stores);
    const { id } = await newRun(stores, "00000000-0000-4000-8000-000000000001", 1, "First.");
    const end = { status: "finished", turn: 1, updatedAt: 2 } as const;
    expect(await stores.runs.change({ runId: id, expect: { status: "running", turn: 1 }, set: end })).toBe(true);
    const started: string[] = [];
    const workflow: Workflow = {
      start: async (runId, turn) => void started.push(`${runId} ${turn}`),
      stop: async () => {},
    };
    const deps = { ...stores, workflow, now: () => 10 };
    const send = () => acceptInputOnce(deps, id, "Second.", { key: "a".repeat(64), request: "b".repeat(64) });
    expect((await send()).replayed).toBe(false);
    expect((await send()).replayed).toBe(true);
    expect(started).toEqual([`${id} 2`, `${id} 2`]);
    const asked: RunJournalEntry = { turn: 2, step: 1, part: "asked", call: 0, kind: "question", until: 90 };
    const asks = { askedUntil: 90, pauses: 1, worked: 0 };
    const change = {
      runId: id,
      expect: { status: "running", turn: 2 } as const,
      set: { status: "running", turn: 2, updatedAt: 20, asks } as const,
      ...numbered(2, { entries: [asked] }),
    };
    expect(await stores.runs.change(change)).toBe(true);
    // On AWS, an execution now would end at once, and the answer could not start another one with its name.
    expect((await send()).replayed).toBe(true);
    expect(started).toHaveLength(2);
  },
);

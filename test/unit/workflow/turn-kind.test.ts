import { expect, test } from "vitest";
import { beginRun } from "../../../src/runs/begin/begin.ts";
import { stamped } from "../../../src/runs/events.ts";
import { rebuildRequest } from "../../../src/runs/read/rebuild-request.ts";
import type { RunJournalEntry, TurnMessage } from "../../../src/runs/run-types.ts";
import { ordinarySurroundings } from "../../../src/workflow/turn-kind.ts";
import { temporaryStores } from "../../support/temporary-stores.ts";

const owner = { agentId: "trial-1", organizationId: "trial-1" };
const usage = { inputTokens: 1, outputTokens: 1 };
const answer = { text: "Done.", toolCalls: [], finishReason: "stop", usage } as const;

const forked = (mark: Record<string, string | number>): RunJournalEntry => ({
  turn: 1,
  step: 0,
  part: "forked",
  from: "R",
  trial: mark,
});

const runOf = (more: object = {}) =>
  beginRun({ id: "T", ...owner, name: "Run", status: "running", turn: 1, sequence: 3, ...more }, 1);

test("a turn of a kind that a process does not know is not taken as an ordinary one", () => {
  using stores = temporaryStores();
  const journal = [forked({ case: 1, arm: "candidate" })];
  expect(() => ordinarySurroundings(stores, { run: runOf(), journal })).toThrow("of a kind that this process does not");
  const imported = { runId: "R", sha256: "0".repeat(64) };
  expect(ordinarySurroundings(stores, { run: runOf({ imported }), journal }).organizationId).toBe("trial-1");
});

test("the request of an answer to another run's conversation, which earlier releases asked for, is unknown", async () => {
  using stores = temporaryStores();
  const events: (TurnMessage | RunJournalEntry)[] = [
    { turn: 1, role: "input_to_agent", text: "Work." },
    forked({ case: 1, arm: "candidate", mode: "next_step" }),
    { turn: 1, step: 1, part: "answer", answer: { ...answer, toolCalls: [] } },
  ];
  const numbered = stamped(events, { sequence: 0, at: 1 });
  const messages = numbered.filter((event) => "role" in event);
  await stores.runs.create(runOf(), messages, { entries: numbered.filter((event) => "part" in event) });
  const rebuilt = await rebuildRequest(stores, "T", { turn: 1, step: 1 });
  expect(rebuilt).toEqual({ unknown: expect.stringContaining("earlier release") });
});

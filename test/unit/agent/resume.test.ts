import fc from "../../support/properties.ts";
import { expect, it } from "vitest";
import type { ModelOutcome } from "../../../src/agent/model.ts";
import type { JournalEntry } from "../../../src/agent/turn/journal.ts";
import { runTurn } from "../../../src/agent/turn/run-turn.ts";
import type { TurnOutcome } from "../../../src/agent/turn/turn-types.ts";
import { answer, call, openFiles, scripted, spaceOf, textsIn, turn } from "./scripted.ts";

class Killed extends Error {}

/** A step with 1 to 3 parallel tool calls, an empty answer, or a call as text. */
const callKinds = ["list", "read", "write", "edit", "unknown", "invalid"];
const step = fc.oneof(
  { weight: 6, arbitrary: fc.array(fc.constantFrom(...callKinds), { minLength: 1, maxLength: 3 }) },
  { weight: 1, arbitrary: fc.constant<string[]>([]) },
  { weight: 1, arbitrary: fc.constant<string[]>(["as text"]) },
);

const asText = '<tool_call>{"name": "list_files", "arguments": {}}</tool_call>';

const scriptOf = (steps: string[][]): ModelOutcome[] => [
  ...steps.map((kinds, at) => {
    if (kinds[0] === "as text") return answer(asText);
    return answer(
      "",
      kinds.map((kind, index) => {
        const id = `${at}-${index}`;
        if (kind === "list") return call(id, "list_files", {});
        if (kind === "read") return call(id, "read_file", { name: "a.txt" });
        if (kind === "write") return call(id, "write_file", { name: `${id}.txt`, content: `of step ${at}` });
        if (kind === "edit") return call(id, "edit_file", { name: "log.txt", old_text: "end", new_text: `${id} end` });
        if (kind === "unknown") return call(id, "fly", {});
        return { ...call(id, "read_file", "{"), invalid: "Not JSON." };
      }),
    );
  }),
  answer("The end."),
];

/** A listing repeated after a kill can show a file that a parallel call wrote before the kill. */
function withoutListing(entry: JournalEntry): JournalEntry {
  if (entry.part !== "result") return entry;
  const files = entry.files && { files: entry.files.map((file) => ({ ...file, mtime: 0 })) }; // of this execution
  if (entry.result.name !== "list_files") return { ...entry, ...files };
  return { ...entry, ...files, result: { ...entry.result, text: "" } };
}

/** In an order that does not depend on which of parallel calls ended first. */
function inOrder(records: JournalEntry[]): JournalEntry[] {
  return structuredClone(records).toSorted((a, b) => place(a) - place(b));
}

function isRecorded(records: JournalEntry[], callId: string): boolean {
  return records.some((entry) => entry.part === "result" && entry.result.callId === callId);
}

function place(entry: JournalEntry): number {
  return entry.step * 1_000 + (entry.part === "result" ? 100 + entry.call : 0);
}

/** Runs a turn like a workflow: restarts after each kill, with only the journal and the files kept. */
async function untilEnded(script: ModelOutcome[], limitOfSteps: number, kills: { at: number; after: boolean }[]) {
  const { model, requests } = scripted([...script, answer("The end.")]);
  const space = spaceOf({ "a.txt": "first\nsecond\n", "log.txt": "end" });
  const recorded: JournalEntry[] = [];
  const left = [...kills];
  let repeated = 0;
  let lostAnswers = 0;
  let killed = 0;
  for (;;) {
    const { input, ports } = turn(model, {
      input: { journal: structuredClone(recorded), limits: { steps: limitOfSteps, tokens: 1e6, seconds: 60 } },
      ports: {
        files: openFiles(space, recorded),
        emit(event) {
          if (event.type === "tool-call-started" && isRecorded(recorded, event.callId)) repeated++;
        },
        record: async (entry) => {
          const kill = left[0]?.at === recorded.length ? left.shift() : undefined;
          if (kill && !kill.after) {
            if (entry.part === "answer") lostAnswers++;
            throw new Killed();
          }
          recorded.push(JSON.parse(JSON.stringify(entry)) as JournalEntry);
          if (kill) throw new Killed();
          return true;
        },
      },
    });
    try {
      const outcome: TurnOutcome = await runTurn(input, ports);
      const files = await textsIn(space, ports.files);
      return { outcome, recorded: inOrder(recorded), files, calls: requests.length, repeated, lostAnswers, killed };
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      killed++;
    }
  }
}

it("has the same outcome wherever it is killed, and repeats no recorded call", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 6 }),
      fc.integer({ min: 1, max: 8 }),
      fc.array(fc.record({ at: fc.nat({ max: 12 }), after: fc.boolean() }), { maxLength: 4 }),
      async (steps, limitOfSteps, cuts) => {
        const script = scriptOf(steps);
        const kills = cuts.toSorted((a, b) => a.at - b.at);
        const uncut = await untilEnded(script, limitOfSteps, []);
        const cut = await untilEnded(script, limitOfSteps, kills);
        expect(cut.outcome).toEqual(uncut.outcome);
        expect(cut.recorded.map(withoutListing)).toEqual(uncut.recorded.map(withoutListing));
        expect(cut.files).toEqual(uncut.files);
        // Only calls whose entry was not recorded are repeated. The write of a result can be cut while the model is called.
        expect(cut.calls).toBeGreaterThanOrEqual(uncut.calls + cut.lostAnswers);
        expect(cut.calls).toBeLessThanOrEqual(uncut.calls + cut.killed);
        expect(cut.repeated).toBe(0);
      },
    ),
    { numRuns: 300 },
  );
});

it("ends with a recorded final answer, without a model call", async () => {
  const { model, requests } = scripted([]);
  const last = { part: "answer", step: 1, ...answerOf("Kept."), ended: "tokens" } as JournalEntry;
  const { input, ports } = turn(model, { input: { journal: [last] } });
  expect(await runTurn(input, ports)).toEqual({ kind: "done", text: "Kept.", finishReason: "tokens", last });
  expect(requests).toHaveLength(0);
});

function answerOf(text: string) {
  const outcome = answer(text);
  if (!("answer" in outcome)) throw new Error("not an answer");
  return outcome;
}

import { expect, it } from "vitest";
import { runTurn } from "../../../src/agent/turn/run-turn.ts";
import type { FileVersion } from "../../../src/agent/turn/files/manifest.ts";
import type { RunEvent } from "../../../src/runs/run-types.ts";
import { alignCalls, compareTurns } from "../../../src/trials/cases/compare.ts";
import { turnFacts, type TurnFacts } from "../../../src/trials/cases/turn-facts.ts";
import { answer, call, scripted, spaceOf, turn } from "../agent/scripted.ts";

/** A turn of the real loop on its own files, which writes a text and says something. */
async function ran(text: string, output: string): Promise<{ facts: TurnFacts; files: FileVersion[] }> {
  const { model } = scripted([
    answer("", [call("1", "read_file", { name: "sales.csv" }), call("2", "read_file", { name: "missing.csv" })]),
    answer("", [call("3", "write_file", { name: "sum.txt", content: text })]),
    answer(output),
  ]);
  const { input, ports, records } = turn(model, { space: spaceOf({ "sales.csv": "20\n22\n" }) });
  const outcome = await runTurn(input, ports);
  if (outcome.kind !== "done") throw new Error(`the turn has ended with ${outcome.kind}`);
  const events: RunEvent[] = [
    { turn: 1, role: "input_to_agent", text: "Go." },
    ...[...records, outcome.last].map((entry) => Object.assign({ turn: 1 }, entry)),
    { turn: 1, role: "output_from_agent", text: output },
  ];
  return { facts: turnFacts(events, 1), files: (await ports.files.changed()) ?? [] };
}

it("two turns of the real loop are compared, with their calls side by side", async () => {
  const [recorded, tried] = [await ran("42", "The sum is 42."), await ran("42.0", "The  sum is 42.")];
  expect(recorded.facts.calls.map(({ name, result, files }) => [name, result?.error, files.length])).toEqual([
    ["read_file", undefined, 0],
    ["read_file", true, 0],
    ["write_file", undefined, 1],
  ]);
  expect(recorded.facts.used).toMatchObject({ steps: 3, inputTokens: 30, outputTokens: 15 });
  const endOf = ({ facts: { output = "" }, files }: typeof tried) => ({ output, files });
  expect(compareTurns(endOf(recorded), endOf(tried))).toEqual({
    sameOutput: true,
    files: [{ name: "sum.txt", change: "changed" }],
  });
  const { rows, firstDifference } = alignCalls(recorded.facts.calls, tried.facts.calls);
  expect(rows.map(({ left, right, same }) => [left?.name, right?.name, same])).toEqual([
    ["read_file", "read_file", true],
    ["read_file", "read_file", true],
    ["write_file", "write_file", false],
  ]);
  expect(firstDifference).toBe(2);
});

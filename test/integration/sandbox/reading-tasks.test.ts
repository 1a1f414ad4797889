import { afterAll, describe, expect, it } from "vitest";
import { builtInTools } from "../../../src/agent/tools/index.ts";
import { runTurn } from "../../../src/agent/turn/run-turn.ts";
import { sandboxDocumentReader } from "../../../src/sandbox/document-reader.ts";
import { officeTasks } from "../../fixtures/reading-tasks/office.ts";
import { pageTasks } from "../../fixtures/reading-tasks/pages.ts";
import { tableTasks } from "../../fixtures/reading-tasks/tables.ts";
import type { ReadingTask } from "../../fixtures/reading-tasks/task.ts";
import { workbookTasks } from "../../fixtures/reading-tasks/workbooks.ts";
import { answer, call, scripted, spaceOf, turn } from "../../unit/agent/scripted.ts";
import { sandbox } from "./sandbox.ts";

const tools = builtInTools(
  { tools: ["read_file", "search_files", "run_javascript"] },
  { sandbox, readDocument: sandboxDocumentReader(sandbox) },
);

/** The results that a model gets in a turn in which it makes the calls of a task. */
async function resultsOf({ files, calls }: ReadingTask) {
  const made = calls.map(({ tool, input }, index) => call(`call-${index}`, tool, input));
  const { model, requests } = scripted([answer("", made), answer("Done.")]);
  const { input, ports } = turn(model, { ports: { tools }, space: spaceOf(files) });
  await runTurn(input, ports);
  const last = requests[1]?.messages.findLast(({ role }) => role === "tool");
  return last?.role === "tool" ? last.results : [];
}

afterAll(() => sandbox.close());

const tasks = { ...tableTasks, ...officeTasks, ...workbookTasks, ...pageTasks };

/** Tasks of people who work with files. None may end with a wrong answer that nothing marks as such. */
describe("a model that reads files gets the right answer, or a note that says what is missing", () => {
  it.each(Object.entries(tasks))("%s", async (_, task) => {
    const { calls, files } = task();
    const results = await resultsOf({ calls, files });
    expect(results).toHaveLength(calls.length);
    for (const [index, { has, hasNot = [], input }] of calls.entries()) {
      const { text = "", error } = results[index] ?? {};
      expect({ input, text, error }).toEqual({ input, text });
      for (const each of has) {
        const expected = typeof each === "string" ? expect.stringContaining(each) : expect.stringMatching(each);
        expect({ input, text }).toEqual({ input, text: expected });
      }
      for (const each of hasNot) expect(text).not.toContain(each);
    }
  });
});

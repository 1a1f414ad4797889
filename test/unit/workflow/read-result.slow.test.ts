import { expect, test } from "vitest";
import { createAgent } from "../../../src/accounts/agents/agents.ts";
import { createOrganization, setModel } from "../../../src/accounts/organizations.ts";
import type { Message, Model } from "../../../src/agent/model.ts";
import { acceptInput } from "../../../src/runs/control/control-run.ts";
import { createRun } from "../../../src/runs/begin/create-run.ts";
import { journalOf } from "../../../src/runs/read/list-events.ts";
import { advance } from "../../../src/workflow/advance.ts";
import { temporaryStores } from "../../support/temporary-stores.ts";
import { answer, call } from "../agent/scripted.ts";

const workflow = { start: async () => {}, stop: async () => {} };
const silent = { usage: { inputTokens: 0, outputTokens: 0 } };

/** The texts of the last tool results of a request. */
function lastTexts(messages: Message[]): string[] {
  const last = messages.findLast(({ role }) => role === "tool"); // a note can follow
  return last?.role === "tool" ? last.results.map(({ text }) => text) : [];
}

/** Plays a run in whose turns the model does what `act` says, and returns the journal. */
async function play(files: Record<string, string>, inputs: string[], act: Model, more: object = {}) {
  using stores = temporaryStores();
  const { id: organizationId } = await createOrganization(stores.accounts, { name: "O" });
  await setModel(stores.accounts, organizationId, { provider: "demo", enabled: true });
  const definition = {
    name: "Agent",
    instructions: "Read.",
    tools: ["read_file"],
    limits: { steps: 500, tokens: 1e9, seconds: 1e6 },
    contextTokens: 8_000,
    ...more,
  };
  const agent = await createAgent(stores.accounts, organizationId, definition);
  const openModel = async () => ({ model: act, provider: "demo", name: "m" });
  const services = { secretRefusal: () => undefined, secretOf: async () => undefined };
  const deps = { ...stores, ...services, workflow, now: Date.now, openModel };
  const [text = "", ...later] = inputs;
  const uploads = Object.entries(files).map(([name, content]) => ({ name, content: () => Buffer.from(content) }));
  const { id } = await createRun(deps, { agentId: agent.id, organizationId }, { name: "Run", text, files: uploads });
  const options = { signal: new AbortController().signal, deadline: Infinity, leaseWait: 0 };
  await advance(deps, { runId: id, turn: 1 }, options);
  for (const [index, input] of later.entries()) {
    await acceptInput(deps, id, input);
    await advance(deps, { runId: id, turn: index + 2 }, options);
  }
  return await journalOf(stores, id);
}

test("200 facts that were only in results of tools can be read again after 30 compactions", async () => {
  const numbers = Array.from({ length: 200 }, (_, index) => index + 1);
  const files = Object.fromEntries(numbers.map((n) => [`${n}.txt`, `${"word ".repeat(900)}\nFACT${n}`]));
  const turns = 10;
  let next = 1;
  const found = new Set<string>();
  const unread: string[] = Array.from({ length: turns }, (_, index) => `${index + 1}`);
  const offers: boolean[] = [];
  const model: Model = async ({ instructions, messages, tools }) => {
    if (instructions.startsWith("You summarize")) return answer("Files were read.", [], silent);
    offers.push(tools.some(({ name }) => name === "read_result"));
    if (JSON.stringify(messages).includes("Which facts?")) {
      // It knows what it is shown: lists name results, and each page of a result may have a fact.
      for (const text of lastTexts(messages)) {
        for (const fact of text.match(/\bFACT\d+\b/g) ?? []) found.add(fact);
        if (!text.startsWith("Result ")) unread.push(...(text.match(/^\d+\.\d+\.\d+/gm) ?? []));
      }
      const [result] = unread.splice(0, 1);
      return result === undefined ? answer("All.") : answer("", [call("c", "read_result", { result })], silent);
    }
    if (next > numbers.length || (next > 1 && next % 20 === 1 && lastTexts(messages).length > 0))
      return answer("Read.");
    const calls = [next++, next++].map((n) => call(`c${n % 2}`, "read_file", { name: `${n}.txt` }));
    return answer("t".repeat(2_000), calls, silent);
  };
  const inputs = [...Array.from({ length: turns }, (_, index) => `Read part ${index + 1}.`), "Which facts?"];
  const journal = await play(files, inputs, model);
  const compactions = journal.filter((entry) => entry.part === "summary" || (entry.part === "answer" && entry.cut));
  expect(compactions.length).toBeGreaterThanOrEqual(30);
  expect([...found].toSorted()).toEqual(numbers.map((n) => `FACT${n}`).toSorted());
  expect([offers[0], offers.at(-1)]).toEqual([false, true]);
  const summary = journal.findLast((entry) => entry.part === "summary");
  expect(summary?.part === "summary" && Buffer.byteLength(summary.text)).toBeLessThan(8_000);
}, 300_000);

test("what cannot be read again is named with what can", async () => {
  const asked = ["1.1.1", "first", "9.1.1", "7", "1.1.1", "1.1"];
  const offsets = [undefined, undefined, undefined, undefined, 99_999, 5];
  const outputs: string[] = [];
  let step = 0;
  const model: Model = async ({ instructions, messages }) => {
    if (instructions.startsWith("You summarize")) return answer("Summary.", [], silent);
    if (step > 0) outputs.push(...lastTexts(messages));
    const [result, offset] = [asked[step], offsets[step]];
    step++;
    if (result === undefined) return answer("Done.");
    return answer("", [call("c", "read_result", { result, ...(offset !== undefined && { offset }) })], silent);
  };
  await play({}, ["Go."], model);
  expect(outputs).toEqual([
    "There is no recorded result 1.1.1 in this run. Turns are 1 to 1; the number of a turn lists its results.",
    expect.stringMatching(/^"first" is not the number of a result\. Accepted: .* such as 2\.3\.1/),
    expect.stringContaining("There is no recorded result 9.1.1"),
    expect.stringContaining("There is no recorded result 7"),
    expect.stringMatching(/^offset 99999 is beyond the end of result 1\.1\.1: it has \d+ characters\.$/),
    expect.stringContaining("offset 5 is beyond the end: there are 1 results in 1.1."),
  ]);
});

test("an agent whose policy denies it is not offered to read results again", async () => {
  const files = { "a.txt": "word ".repeat(2_000) };
  const tools: string[] = [];
  let step = 0;
  const model: Model = async (request) => {
    if (request.instructions.startsWith("You summarize")) return answer("Summary.", [], silent);
    tools.push(...request.tools.map(({ name }) => name));
    return step++ < 8 ? answer("", [call("c", "read_file", { name: "a.txt" })], silent) : answer("Done.");
  };
  const journal = await play(files, ["Go."], model, { toolPolicy: { read_result: "deny" } });
  expect(journal.some((entry) => entry.part === "answer" && entry.cut && !entry.cut.named)).toBe(true);
  expect(new Set(tools)).toEqual(new Set(["read_file"]));
});

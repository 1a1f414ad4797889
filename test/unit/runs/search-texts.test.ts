import { randomUUID } from "node:crypto";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { localTextIndex } from "../../../src/platform/local/database/text-index.ts";
import { openLocalPlatform } from "../../../src/platform/local/open-platform.ts";
import { runDescriber } from "../../../src/runs/read/describe-runs.ts";
import { type FoundTexts, searchTexts } from "../../../src/runs/read/search/search-texts.ts";
import type { Stores, TextIndex } from "../../../src/runs/ports.ts";
import type { Run, RunJournalEntry } from "../../../src/runs/run-types.ts";
import { anAnswer, answered, failure, input, newRun, numbered, onTurn, output } from "../../platform/run-fixtures.ts";
import { fakeAwsStores } from "../../support/fake-aws/platform.ts";
import { temporaryStores } from "../../support/temporary-stores.ts";

const limits = { steps: 5, tokens: 10_000, seconds: 60 };
const day = 86_400_000;
const noon = Date.UTC(2026, 10, 20, 12);

/** Two organizations with an agent each. */
async function open(stores: Stores & { textIndex?: TextIndex }) {
  const [first, second] = ["one", "two"].map((name) => {
    return { id: randomUUID(), organizationId: randomUUID(), name, instructions: "", tools: [], limits };
  });
  if (!first || !second) throw new Error("two agents");
  for (const agent of [first, second]) {
    await stores.accounts.createOrganization({ id: agent.organizationId, name: agent.name });
    await stores.accounts.createAgent({ ...agent, status: "active" });
  }
  const deps = { ...stores, describer: runDescriber({ ...stores, now: () => noon }), now: () => noon };
  const search = (text: string, of = {}, limit = 20) => searchTexts(deps, { text, of, limit, milliseconds: 10_000 });
  async function add(text: string, fields: Partial<Run> = {}): Promise<Run> {
    const owner = { agentId: first?.id ?? "", organizationId: first?.organizationId ?? "" };
    const run = newRun({ ...owner, createdAt: noon, updatedAt: noon, ...fields });
    await stores.runs.create(run, numbered(0, { messages: [input(1, text)] }).messages);
    return run;
  }
  return { ...deps, first, second, search, add };
}

const idsOf = ({ runs }: FoundTexts): string[] => runs.map(({ run }) => run.run.id);
/** Kind, place and excerpt of the texts of the first run, with the matches between brackets. */
const textsOf = ({ runs }: FoundTexts): string[] =>
  (runs[0]?.texts ?? []).map(({ kind, turn, step, call, tool, excerpt }) =>
    [kind, turn, step, call, tool, excerpt.map(({ text, match }) => (match ? `[${text}]` : text)).join("")].join("|"),
  );

function openLocal(): ReturnType<typeof temporaryStores> {
  const stores = temporaryStores();
  onTestFinished(() => stores[Symbol.dispose]());
  return stores;
}

const reasoned: RunJournalEntry = {
  turn: 1,
  step: 1,
  part: "answer",
  answer: {
    ...anAnswer,
    text: "I look it up.",
    reasoning: { text: "The invoice could be a duplicate." },
    toolCalls: [
      { id: "a", name: "list_files", input: {} },
      { id: "b", name: "billing__find", input: { query: "INV-20877", lines: [{ note: "first\nsecond" }] } },
      { id: "c", name: "billing__pay", input: { id: 2512292042121000000 }, json: '{"id":2512292042121000001}' },
    ],
  },
};
const results: RunJournalEntry[] = [
  { turn: 1, step: 1, part: "result", call: 0, result: { callId: "a", name: "list_files", text: "ledger.csv" } },
  {
    turn: 1,
    step: 1,
    part: "result",
    call: 1,
    result: { callId: "b", name: "billing__find", text: "HTTP 503: gateway timeout", error: true },
  },
];

describe.each<[string, () => Stores & { textIndex?: TextIndex }]>([
  ["on one machine", openLocal],
  ["on AWS", () => fakeAwsStores()],
])("texts %s", (_, openStores) => {
  test("are found in inputs, answers, reasoning, calls, results and errors, with their place", async () => {
    const { runs, search, add } = await open(openStores());
    const run = await add("Prüfe die Überweisung von Groß & Söhne.");
    const end = { status: "technical_error", turn: 1, updatedAt: noon, failure } as const;
    const last = answered(1, 2, "All 212 letters are written.");
    const events = numbered(1, {
      entries: [reasoned, ...results, last],
      messages: [output(1, "All 212 letters are written.")],
    });
    await runs.change({ ...onTurn(run), ...events, set: end });

    expect(textsOf(await search("uberweisung"))).toEqual(["input|1||||Prüfe die [Überweisung] von Groß & Söhne."]);
    expect(textsOf(await search("SÖHNE überw"))).toEqual(["input|1||||Prüfe die [Überweisung] von Groß & [Söhne]."]);
    expect(textsOf(await search("duplicate"))).toEqual(["reasoning|1|1|||The invoice could be a [duplicate]."]);
    const call = "tool_call|1|1|1|billing__find|query: ";
    expect(textsOf(await search("inv-20877"))).toEqual([`${call}[INV-20877], lines: note: first\nsecond`]);
    expect(textsOf(await search('"first second"'))).toEqual([`${call}INV-20877, lines: note: [first\nsecond]`]);
    expect(textsOf(await search("2512292042121000001"))).toEqual([
      "tool_call|1|1|2|billing__pay|id: [2512292042121000001]",
    ]);
    expect(textsOf(await search("ledger"))).toEqual(["tool_result|1|1|0|list_files|[ledger].csv"]);
    expect(textsOf(await search("gateway time"))).toEqual(["error|1|1|1|billing__find|HTTP 503: [gateway] [timeout]"]);
    // The answer of the last step, which is also the output, once.
    expect(textsOf(await search("letters"))).toEqual(["answer|1|2|||All 212 [letters] are written."]);
    expect(textsOf(await search("broke"))).toEqual(["error|1||||It [broke]."]);
    for (const text of ["eberweisung", '"second first"', "ledger gateway", "20877-inv"]) {
      expect(await search(text)).toMatchObject({ runs: [], more: false, searched: 1, complete: true });
    }
    await expect(search("… !")).rejects.toThrow("q has no word");
  });

  test("are those of the asked organization or agent, of 90 days, the newest run first", async () => {
    const { search, add, first, second } = await open(openStores());
    const ofSecond = { agentId: second.id, organizationId: second.organizationId };
    const old = await add("needle", { createdAt: noon - 89 * day });
    await add("needle", { createdAt: noon - 91 * day });
    const other = await add("needle", { ...ofSecond, createdAt: noon - 1 });
    const recent = await add("needle");
    expect(await search("needle")).toMatchObject({ searched: 3, complete: true, since: noon - 90 * day });
    expect(idsOf(await search("needle"))).toEqual([recent.id, other.id, old.id]);
    expect(idsOf(await search("needle", { agent: second.id }))).toEqual([other.id]);
    expect(idsOf(await search("needle", { organization: first.organizationId }))).toEqual([recent.id, old.id]);
    expect(idsOf(await search("needle", { organizations: [second.organizationId] }))).toEqual([other.id]);
    expect(idsOf(await search("needle", { agent: first.id, organizations: [second.organizationId] }))).toEqual([]);
    const one = await search("needle", {}, 1);
    expect([idsOf(one), one.more]).toEqual([[recent.id], true]);
  });

  test("of records that came after a search are found by the next one, and none of an erased run", async () => {
    const { runs, search, add } = await open(openStores());
    const run = await add("first");
    expect(idsOf(await search("later"))).toEqual([]);
    await runs.change({ ...onTurn(run), ...numbered(1, { entries: [answered(1, 1, "later")] }) });
    expect(idsOf(await search("later"))).toEqual([run.id]);
    await runs.change({ ...onTurn(run), set: { status: "terminated", turn: 1, updatedAt: noon }, queue: "drop" });
    const kept = await add("later, too");
    expect(idsOf(await search("later")).toSorted()).toEqual([run.id, kept.id].toSorted());
    expect(await runs.erase(run.id)).toBe(true);
    expect(idsOf(await search("later"))).toEqual([kept.id]);
    expect(idsOf(await search("first"))).toEqual([]);
  });
});

test("on one machine, nothing of an erased run is left in the index", async () => {
  const stores = openLocal();
  const { runs, search, add } = await open(stores);
  const secrets = Array.from({ length: 300 }, (_, index) => `secret${index.toString(36)}x`);
  const run = await add(secrets.join(" "));
  const kept = await add("public");
  expect(idsOf(await search("secret1"))).toEqual([run.id]);
  const stored = (): string =>
    ["", "-wal"].map((end) => readFileSync(join(stores.dataDir, `search.sqlite${end}`), "latin1")).join("");
  expect(stored()).toContain("ecret");
  expect(statSync(join(stores.dataDir, "search.sqlite")).mode & 0o777).toBe(0o600);
  await runs.change({ ...onTurn(run), set: { status: "terminated", turn: 1, updatedAt: noon } });
  expect(await runs.erase(run.id)).toBe(true);
  expect(stored()).not.toContain("ecret");
  expect(idsOf(await search("public"))).toEqual([kept.id]);
});

test("on one machine, another process forgets a run, and a damaged index is made again", async () => {
  const stores = openLocal();
  const { search, add, runs, ...deps } = await open(stores);
  const [run, kept] = [await add("needle"), await add("other needle")];
  expect(idsOf(await search("needle")).toSorted()).toEqual([run.id, kept.id].toSorted());
  await runs.change({ ...onTurn(run), set: { status: "terminated", turn: 1, updatedAt: noon } });
  const cli = openLocalPlatform({ dataDir: stores.dataDir });
  expect(await cli.runs.erase(run.id)).toBe(true);
  cli.close();
  expect(idsOf(await search("needle"))).toEqual([kept.id]);
  const indexFile = join(stores.dataDir, "damaged.sqlite");
  writeFileSync(indexFile, "no database, but a text. ".repeat(1_000));
  const textIndex = localTextIndex({ file: join(stores.dataDir, "runs.sqlite"), indexFile });
  const found = await searchTexts(
    { ...deps, runs, textIndex },
    { text: "needle", of: {}, limit: 5, milliseconds: 10_000 },
  );
  expect(idsOf(found)).toEqual([kept.id]);
  textIndex.close();
});

test("on one machine, an answer that did not wait for the index says so, and the index catches up after it", async () => {
  const stores = openLocal();
  const { add, first } = await open(stores);
  const runs = await Promise.all(Array.from({ length: 5 }, () => add("needle")));
  const files = { file: join(stores.dataDir, "runs.sqlite"), indexFile: join(stores.dataDir, "other.sqlite") };
  const index = localTextIndex({ ...files, maxWait: 0 });
  const query = { since: 0, phrases: [["needle"]], organizationIds: [first.organizationId] };
  const early = await index.find(query);
  expect(early.indexed).toBeLessThan(5);
  expect([early.runs.length, early.complete]).toEqual([early.indexed, false]);
  await expect.poll(async () => (await index.find(query)).complete).toBe(true);
  expect((await index.find(query)).runs.map(({ id }) => id).toSorted()).toEqual(runs.map(({ id }) => id).toSorted());
  await index.forget(runs[0]?.id ?? "");
  // Those of the same chunk are indexed again.
  await expect.poll(async () => (await index.find(query)).complete).toBe(true);
  index.close();
});

test("on AWS, the newest 200 runs are searched, and the answer says that there are more", async () => {
  const { search, add } = await open(fakeAwsStores());
  await add("needle", { createdAt: noon - day });
  await Promise.all(Array.from({ length: 200 }, () => add("hay")));
  expect(await search("needle")).toMatchObject({ runs: [], searched: 200, complete: false });
});

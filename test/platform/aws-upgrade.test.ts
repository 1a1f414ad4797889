import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { expect, test } from "vitest";
import { acceptInput } from "../../src/runs/control-run.ts";
import { eventsOf } from "../../src/runs/read/list-events.ts";
import { listRunFiles, readRunFile, type RunPoint } from "../../src/runs/files/read-files.ts";
import type { RunEvent } from "../../src/runs/types.ts";
import { advance } from "../../src/workflow/advance.ts";
import { fakeAwsStores } from "../support/fake-aws/platform.ts";
import { outputTo, putAgent, scriptedModel } from "../support/scripted-runs.ts";

const createdAt = 1_763_000_000_000;
const usage = { inputTokens: 10, outputTokens: 1 };

/** The items of a run in the layout before events were numbered: turn 1 is done, turn 2 has an answer and a result. */
const head = {
  pk: "RUN#r",
  sk: "HEAD",
  id: "r",
  agentId: "A",
  organizationId: "O",
  name: "Run",
  status: "running",
  turn: 2,
  createdAt,
  updatedAt: createdAt + 1_000,
  messageCount: 3,
  used_steps: 2,
  used_inputTokens: 20,
  gsi1pk: "RUNS#A#5",
  gsi1sk: "001763000000000#R",
  gsi2pk: "RUNNING#5",
  gsi2sk: "r",
};
const messages = [
  { pk: "RUN#r", sk: "MESSAGE#00001#input_to_agent", role: "input_to_agent", text: "one" },
  { pk: "RUN#r", sk: "MESSAGE#00001#output_from_agent", role: "output_from_agent", text: outputTo("one") },
  { pk: "RUN#r", sk: "MESSAGE#00002#input_to_agent", role: "input_to_agent", text: "two" },
];
const write = { id: "w1", name: "write_file", input: { name: "1.txt", content: "two" } };
const entries = [
  {
    turn: 1,
    step: 1,
    part: "answer",
    answer: { text: outputTo("one"), toolCalls: [], finishReason: "stop", usage },
  },
  {
    turn: 2,
    step: 1,
    part: "answer",
    answer: { text: "", toolCalls: [write], finishReason: "tool-calls", usage },
  },
  { turn: 2, step: 1, part: "began", call: 0 },
  { turn: 2, step: 1, part: "result", call: 0, result: { callId: "w1", name: "write_file", text: "Written." } },
];
const journal = ["STEP#99998#00001#answer", "STEP#99997#00001#answer", "STEP#99997#00001#began#00000"]
  .concat("STEP#99997#00001#result#00000")
  .map((sk, index) => ({ pk: "RUN#r", sk, text: JSON.stringify(entries[index]) }));

test("a run in the layout of an earlier version is read, resumed and continued", async () => {
  const stores = fakeAwsStores();
  await putAgent(stores);
  for (const Item of [head, ...messages, ...journal]) {
    await stores.documents.send(new PutCommand({ TableName: "T", Item }));
  }
  expect(await stores.accounts.listOperators()).toEqual([]);
  expect((await stores.runs.load("r"))?.journal).toEqual(entries.slice(1));
  for (const owner of [{ agentIds: ["A"] }, { organizationIds: ["O"] }]) {
    expect((await stores.runs.list({ ...owner, limit: 9 })).runs).toMatchObject([{ id: "r", turn: 2 }]);
  }
  stores.putObject("workspaces/r/1.txt", Buffer.from("two")); // files had objects by name
  expect(await listRunFiles(stores, "r")).toEqual({ files: [{ name: "1.txt", size: 3 }] });

  const { model, calls } = scriptedModel(2);
  let now = createdAt + 2_000;
  const deps = {
    ...stores,
    now: () => now++,
    secretOf: async () => undefined,
    openModel: async () => ({ model, name: "m", provider: "p" }),
  };
  const budget = { signal: new AbortController().signal, deadline: Infinity, leaseWait: 0 };
  expect(await advance(deps, { runId: "r", turn: 2 }, budget)).toEqual({ done: true, turn: 2 });
  expect(calls).toEqual(["two 2", "two 3"]);

  const workflow = { start: async () => {}, stop: async () => {} };
  await acceptInput({ ...stores, workflow, now: deps.now }, "r", "three");
  expect(await advance(deps, { runId: "r", turn: 3 }, budget)).toEqual({ done: true, turn: 3 });

  // The next turn wrote the file again. The object of the earlier version is unchanged.
  const textAt = async (at?: RunPoint) => Buffer.from((await readRunFile(stores, "r", "1.txt", at)).content).toString();
  expect([await textAt({ turn: 2, step: 3 }), await textAt({ turn: 3, step: 0 })]).toEqual(["two", "two"]);
  expect([await textAt({ turn: 3, step: 1 }), await textAt()]).toEqual(["three", "three"]);
  expect((await listRunFiles(stores, "r")).files).toMatchObject([
    { name: "1.txt", sha256: expect.any(String) },
    { name: "2.txt", sha256: expect.any(String) },
  ]);

  const events: RunEvent[] = [];
  for await (const event of eventsOf(stores, "r")) events.push(event);
  expect(events.slice(0, 7).map(kindOf)).toEqual([
    "1 input_to_agent",
    "1 answer",
    "1 output_from_agent",
    "2 input_to_agent",
    "2 answer",
    "2 began",
    "2 result",
  ]);
  expect(events.slice(0, 7).some((event) => "sequence" in event || "at" in event)).toBe(false);
  const numbered = events.slice(7);
  expect(numbered.slice(-1).map(kindOf)).toEqual(["3 output_from_agent"]);
  expect(numbered.map(({ sequence }) => sequence)).toEqual(numbered.map((_, index) => index + 1));
  const { run, transcript } = (await stores.runs.read("r")) ?? {};
  expect(run).toMatchObject({ status: "finished", turn: 3, sequence: numbered.length });
  expect(transcript?.map(({ text }) => text)).toEqual(
    ["one", "two", "three"].flatMap((text) => [text, outputTo(text)]),
  );
});

function kindOf(event: RunEvent): string {
  return `${event.turn} ${"part" in event ? event.part : event.role}`;
}

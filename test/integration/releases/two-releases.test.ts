import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkOut, formerRelease } from "../../../scripts/check-out.ts";
import { chatServer, type Reply, scripted } from "../../providers/chat-completions-server.ts";
import { type FakeAwsEndpoint, fakeAwsEndpoint } from "../../support/fake-aws/endpoint.ts";
import { type Advanced, type Json, type ReleaseFunctions, releaseFunctions } from "../../support/release/functions.ts";

// The functions of the former release and of this one, in a process each, over one table: each reads what the other writes.

const root = fileURLToPath(new URL("../../..", import.meta.url));
const { version, commit } = formerRelease();

const long = "A long line of text. ".repeat(5_000); // 105 KB: in the bucket
/** Model calls that wait. */
let held: (() => void)[] = [];
let holds = false;

const works = scripted(({ input: text, step, results }) => {
  const [input = ""] = text.split("\n"); // a note about files follows
  if (input.startsWith("Write") && step === 1) return { calls: [["write_file", { name: "a/ü.txt", content: input }]] };
  if (input.startsWith("Write") && step === 2) return { calls: [["read_file", { name: "a/ü.txt" }]] };
  if (input.startsWith("Ask") && step === 1) return { calls: [["find_order", { id: "4711" }]] };
  return { text: `${input} ${results.at(-1) ?? "No tool."} ${input.startsWith("Long") ? long : ""}` };
});
/** The second step of a turn can be held. */
const reply: Reply = async (response, received) => {
  const isSecond = JSON.stringify(received.body.messages).split('"tool_calls"').length === 2;
  if (holds && isSecond) await new Promise<void>((resolve) => held.push(resolve));
  return works(response, received);
};

let aws: FakeAwsEndpoint;
let model: Awaited<ReturnType<typeof chatServer>>;
let checkedOut: ReturnType<typeof checkOut>;
let former: ReleaseFunctions;
let present: ReleaseFunctions;

beforeAll(async () => {
  checkedOut = checkOut(commit);
  aws = await fakeAwsEndpoint({}, { keepsObjects: true });
  model = await chatServer(...Array.from({ length: 300 }, () => reply));
  former = releaseFunctions(checkedOut.folder, aws);
  present = releaseFunctions(root, aws);
});

afterAll(async () => {
  former[Symbol.dispose]();
  present[Symbol.dispose]();
  await model[Symbol.asyncDispose]();
  await aws.close();
  checkedOut[Symbol.dispose]();
});

interface Caller {
  organizationId: string;
  agentId: string;
  key: string;
}

const definition = {
  name: "Agent",
  instructions: "Work.",
  tools: ["list_files", "read_file", "write_file"],
  limits: { steps: 20, tokens: 1_000_000, seconds: 60_000 },
};

/** An organization with an agent of two versions, a key and a webhook. */
async function newCaller(release: ReleaseFunctions, more: object = {}): Promise<Caller> {
  const { id: organizationId } = await release.manage<{ id: string }>("POST /organizations", { name: "O" });
  const settings = { provider: "openai-compatible", base_url: model.baseUrl, model: "m" };
  await release.manage(`PUT /organizations/${organizationId}/model`, settings);
  const first = { ...definition, ...more, instructions: "Work hard." };
  const body = { organization_id: organizationId, definition: first };
  const { id: agentId } = await release.manage<{ id: string }>("POST /agents", body);
  await release.manage(`PUT /agents/${agentId}`, { definition: { ...definition, ...more } });
  await release.manage(`PUT /agents/${agentId}/webhook`, { url: "https://receiver.example.com/hook" });
  const { key } = await release.manage<{ key: string }>(`POST /agents/${agentId}/keys`, { name: "Key" });
  return { organizationId, agentId, key };
}

async function create(release: ReleaseFunctions, { agentId, key }: Caller, input_text: string): Promise<string> {
  const files = [{ filename: "in.csv", content_base64: Buffer.from("a;b\n").toString("base64") }];
  const created = await release.v1("POST /v1/agents", key, { name: "Run", template_id: agentId, input_text, files });
  expect(created.slice(0, 3)).toBe("201");
  return (JSON.parse(created.slice(4)) as { agent_id: string }).agent_id;
}

/** What a release serves of these runs, of their agent and organization. */
async function served(release: ReleaseFunctions, { organizationId, agentId, key }: Caller, runIds: string[]) {
  const ofRun = async (id: string) => ({
    v1: await release.v1(`GET /v1/agents/${id}`, key),
    ext: await Promise.all(["", "/events", "/files"].map((path) => release.ext(`GET /runs/${id}${path}`, key))),
    manage: await Promise.all(["", "/events", "/files?at=1.1"].map((path) => release.manage(`GET /runs/${id}${path}`))),
  });
  const paths = [
    `/organizations/${organizationId}`,
    `/agents/${agentId}`,
    `/agents/${agentId}/versions/1`,
    `/agents/${agentId}/webhook`,
    `/runs?agent_id=${agentId}`,
  ];
  return {
    runs: await Promise.all(runIds.map(ofRun)),
    accounts: await Promise.all(paths.map((path) => release.manage(`GET ${path}`))),
  };
}

/** Begins a turn. Resolves when its second model call is held, with the end of the invocation. */
async function begun(release: ReleaseFunctions, runId: string): Promise<{ end: Promise<Advanced> }> {
  [held, holds] = [[], true];
  const end = release.advance(runId, 1);
  end.catch(() => {}); // if its process is killed
  await expect.poll(() => held.length).toBe(1);
  return { end };
}

function letGo(): void {
  holds = false;
  for (const resolve of held) resolve();
}

/** Calls `advance` as the state machine does, until nothing is left to do. */
async function finish(release: ReleaseFunctions, runId: string, from = 1): Promise<void> {
  let { done, turn } = await release.advance(runId, from);
  while (!done) ({ done, turn } = await release.advance(runId, turn));
}

/** The steps whose tool calls have results. */
const results = ({ data }: Json): unknown[] =>
  (data as Json[]).filter(({ type }) => type === "tool_result").map(({ step }) => step);

interface Pair {
  writes: string;
  reads: string;
  /** Writer and reader, and the folder of the writer. */
  pair: () => [writer: ReleaseFunctions, reader: ReleaseFunctions, folder: string];
}

const upgrade: Pair = { writes: version, reads: "this version", pair: () => [former, present, checkedOut.folder] };
const rollback: Pair = { writes: "this version", reads: version, pair: () => [present, former, root] };

describe.each([upgrade, rollback])("$reads over what $writes wrote", ({ writes, pair }) => {
  let writer: ReleaseFunctions;
  let reader: ReleaseFunctions;
  let folder: string;
  let caller: Caller;

  beforeAll(async () => {
    [writer, reader, folder] = pair();
    caller = await newCaller(writer);
  });

  test("serves runs, agents and organizations: v1 byte for byte, and what both know elsewhere", async () => {
    const finished = await create(writer, caller, "Write a note.");
    await finish(writer, finished);
    await writer.ext(`POST /runs/${finished}/input`, caller.key, { input_text: "And again." });
    await finish(writer, finished, 2);
    const texts = await create(writer, caller, `Long: ${long}`);
    await finish(writer, texts);
    const [written, read] = [
      await served(writer, caller, [finished, texts]),
      await served(reader, caller, [finished, texts]),
    ];
    expect(read.runs.map(({ v1 }) => v1)).toEqual(written.runs.map(({ v1 }) => v1));
    expect(read.runs[1]?.v1).toContain(long);
    const [older, newer] = writes === version ? [written, read] : [read, written];
    expect(newer).toMatchObject(older);

    await reader.ext(`POST /runs/${finished}/input`, caller.key, { input_text: "A third time." });
    await finish(reader, finished, 3);
    expect(await writer.v1(`GET /v1/agents/${finished}`, caller.key)).toContain("A third time. No tool.");
  });

  test("continues a turn that paused at the end of an invocation, and starts the input that was queued", async () => {
    const runId = await create(writer, caller, "Write slowly, and pause.");
    const { end } = await begun(writer, runId);
    await writer.ext(`POST /runs/${runId}/input`, caller.key, { input_text: "Queued." });
    writer.setClock(15 * 60_000);
    letGo();
    expect(await end).toMatchObject({ done: false, turn: 1 });
    writer.setClock(0);
    await finish(reader, runId);
    const run = await reader.v1(`GET /v1/agents/${runId}`, caller.key);
    expect(run).toContain('"loop_status":"finished"');
    expect(run).toContain("Queued. No tool.");
    expect(results(await reader.ext(`GET /runs/${runId}/events`, caller.key))).toEqual([1, 2]);
    expect(await writer.v1(`GET /v1/agents/${runId}`, caller.key)).toBe(run);
  });

  test("serves a turn that the old code is still at after the deployment, and takes its next turn", async () => {
    const runId = await create(writer, caller, "Write slowly, and finish.");
    const { end } = await begun(writer, runId);
    expect(await reader.v1(`GET /v1/agents/${runId}`, caller.key)).toContain('"loop_status":"running"');
    await reader.ext(`POST /runs/${runId}/input`, caller.key, { input_text: "Queued by the other." });
    expect(await reader.invoke("sweep")).toMatchObject({ ended: 0 });
    letGo();
    expect(await end).toMatchObject({ done: false, turn: 2 });
    await finish(reader, runId, 2);
    const run = await reader.v1(`GET /v1/agents/${runId}`, caller.key);
    expect(run).toContain("Write slowly, and finish. a/ü.txt: lines 1 to 1 of 1");
    expect(run).toContain("Queued by the other. No tool.");
  });

  test("takes over a turn whose process was killed, after the last record", async () => {
    using doomed = releaseFunctions(folder, aws);
    const runId = await create(writer, caller, "Write slowly, and crash.");
    const { end } = await begun(doomed, runId);
    doomed[Symbol.dispose]();
    await expect(end).rejects.toThrow("the process ended");
    letGo();
    reader.setClock(60_000); // the lease has expired
    await finish(reader, runId);
    reader.setClock(0);
    expect(await reader.v1(`GET /v1/agents/${runId}`, caller.key)).toContain('"loop_status":"finished"');
    expect(results(await reader.ext(`GET /runs/${runId}/events`, caller.key))).toEqual([1, 2]);
  });
});

describe(`what ${version} may not know`, () => {
  test("a run that waits for an answer is running there, is not ended, and continues here", async () => {
    const tool = { name: "find_order", description: "Finds an order.", input: { type: "object" } };
    const caller = await newCaller(present, { clientTools: [tool] });
    const runId = await create(present, caller, "Ask for the order.");
    await finish(present, runId);
    const running = await present.v1(`GET /v1/agents/${runId}`, caller.key);
    expect(running).toContain('"loop_status":"running"');
    expect(await former.v1(`GET /v1/agents/${runId}`, caller.key)).toBe(running);
    aws.running.clear();
    former.setClock(3_600_000);
    await former.invoke("sweep");
    former.setClock(0);
    const { open_calls } = await present.ext<{ open_calls: Json[] }>(`GET /runs/${runId}`, caller.key);
    const answer = {
      call: open_calls[0]?.["id"],
      arguments_sha256: open_calls[0]?.["arguments_sha256"],
      output: "Sent.",
    };
    await present.ext(`POST /runs/${runId}/answers`, caller.key, answer);
    await finish(present, runId);
    expect(await former.v1(`GET /v1/agents/${runId}`, caller.key)).toContain("Ask for the order. Sent.");
  });

  test("a key of two agents is one of its first agent there, and further endpoints leave the first as it was", async () => {
    const caller = await newCaller(present);
    const { agentId, organizationId } = caller;
    const body = { organization_id: organizationId, definition };
    const { id: other } = await present.manage<{ id: string }>("POST /agents", body);
    await present.manage(`POST /agents/${agentId}/webhook/endpoints`, { url: "https://other.example.com/hook" });
    const more = { name: "Both", more_agent_ids: [other] };
    const { key } = await present.manage<{ key: string }>(`POST /agents/${agentId}/keys`, more);
    const both = { ...caller, key };
    const runId = await create(former, both, "Write with the key of both.");
    await finish(former, runId);
    expect(await present.v1(`GET /v1/agents/${runId}`, key)).toContain('"loop_status":"finished"');
    expect(await former.manage(`GET /agents/${agentId}/webhook`)).toMatchObject({
      url: "https://receiver.example.com/hook",
    });
  });
});

import { expect, test } from "vitest";
import { createAgent, updateAgent } from "../../../src/accounts/agents/agents.ts";
import { createOrganization, setModel } from "../../../src/accounts/organizations.ts";
import { acceptInput } from "../../../src/runs/control/control-run.ts";
import { createRun } from "../../../src/runs/begin/create-run.ts";
import { journalOf } from "../../../src/runs/read/list-events.ts";
import type { Stores } from "../../../src/runs/ports.ts";
import { rebuildRequest } from "../../../src/runs/read/rebuild-request.ts";
import { sentRequest } from "../../../src/runs/read/sent-request.ts";
import { advance } from "../../../src/workflow/advance.ts";
import {
  chatServer,
  chunk,
  rejects,
  type Reply,
  send,
  startStream,
  toolCallChunk,
} from "../../providers/chat-completions-server.ts";
import { callItem, messageItem, reasoningItem, responds, usageOf } from "../../providers/responses-server.ts";
import { fakeAwsStores } from "../../support/fake-aws/platform.ts";
import { temporaryStores } from "../../support/temporary-stores.ts";

const contextTokens = 8_000;
const steps = 12;
const definition = {
  name: "Agent",
  instructions: "Work through the files. 日本 🚀",
  tools: ["list_files", "read_file", "write_file"],
  limits: { steps, tokens: 1e9, seconds: 1e6 },
  parameters: { temperature: 0.5, maxOutputTokens: 900 },
  contextTokens,
};
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const workflow = { start: async () => {}, stop: async () => {} };

/** What the model of this test says: a text, and calls with their arguments. */
interface Said {
  text: string;
  calls: { id: string; name: string; arguments: string }[];
  inputTokens: number;
}

/** How a provider's server receives a conversation and answers. */
interface Wire {
  provider: "openai-compatible" | "openai-responses";
  /** The messages or items of a request, without the instructions. */
  messages: (body: Record<string, unknown>) => object[];
  answer: (said: Said) => Reply;
  received: { id: string; model: string };
}

const chat: Wire = {
  provider: "openai-compatible",
  messages: ({ messages }) => (messages as object[]).slice(1),
  answer:
    ({ text, calls, inputTokens: prompt_tokens }) =>
    (response) => {
      startStream(response);
      send(response, chunk({ role: "assistant", content: text }));
      for (const [index, call] of calls.entries()) send(response, toolCallChunk(index, call));
      send(response, chunk({}, { finish_reason: calls.length > 0 ? "tool_calls" : "stop" }));
      const usage = { prompt_tokens, completion_tokens: 10, total_tokens: prompt_tokens + 10 };
      send(response, { ...chunk({}), choices: [], usage }, "[DONE]");
      response.end();
    },
  received: { id: "chatcmpl-1", model: "m" },
};

/** Its model thinks before each answer, and the server encrypts what it thought. */
const responses: Wire = {
  provider: "openai-responses",
  messages: ({ input }) => input as object[],
  answer: ({ text, calls, inputTokens }) =>
    responds(
      [
        reasoningItem(`rs_${inputTokens}`, `encrypted-${inputTokens}`, "I think.", "Then I act."),
        messageItem("msg_1", text),
        ...calls.map((call) => callItem(call.id, call.name, call.arguments)),
      ],
      { usage: usageOf({ input: inputTokens, output: 10 }) },
    ),
  received: { id: "resp_1", model: "m-2026-01-01" },
};

function writesFile(message: object): boolean {
  return JSON.stringify(message).includes('"name":"write_file"');
}

/** Calls two tools with a long text while it is offered tools. Counts three bytes per token. */
function works(wire: Wire): Reply {
  return (response, received) => {
    const { body } = received;
    const messages = wire.messages(body);
    const inputTokens = Math.ceil(Buffer.byteLength(JSON.stringify(messages)) / 3);
    const id = `${messages.length}-${inputTokens}`;
    const step = messages.filter(writesFile).length + 1;
    // The third step replaces the picture that the second one has seen.
    const write = { name: step === 3 ? "pixel.png" : `${id}.txt`, content: "of this step" };
    const read = { name: step === 2 ? "pixel.png" : "data.txt" };
    const calls = [
      { id: `w${id}`, name: "write_file", arguments: JSON.stringify(write) },
      { id: `r${id}`, name: "read_file", arguments: JSON.stringify(read) },
    ];
    if (names(body["tools"]).includes("read_result")) {
      calls.push({ id: `a${id}`, name: "read_result", arguments: JSON.stringify({ result: "1.1.2", offset: 1_000 }) });
    }
    const said: Said =
      body["tools"] === undefined
        ? { text: `Text after ${messages.length} messages.`, calls: [], inputTokens }
        : { text: `${id} ${"t".repeat(1_500)}`, calls, inputTokens };
    return wire.answer(said)(response, received);
  };
}

/** The names of a request's tools, in the order of the request. */
const names = (tools: unknown): string[] =>
  ((tools ?? []) as { name?: string; function?: { name: string } }[]).map(
    (tool) => tool.function?.name ?? tool.name ?? "",
  );

async function play(stores: Stores, provider: Wire["provider"], baseUrl: string, crash: () => AbortSignal) {
  const { id: organizationId } = await createOrganization(stores.accounts, { name: "O" });
  await setModel(stores.accounts, organizationId, {
    provider,
    baseUrl,
    model: "m",
    enabled: true,
  });
  const agent = await createAgent(stores.accounts, organizationId, definition);
  const deps = { ...stores, workflow, now: Date.now, secretRefusal: () => undefined, secretOf: async () => undefined };
  const data = { name: "data.txt", content: () => Buffer.from("row of data\n".repeat(250)) };
  const picture = { name: "pixel.png", content: () => Buffer.from(pixel, "base64") };
  const input = { name: "Run", text: "Start.", files: [data, picture] };
  const { id: runId } = await createRun(deps, { agentId: agent.id, organizationId }, input);
  const finish = async (): Promise<void> => {
    for (let done = false; !done;) {
      ({ done } = await advance(deps, { runId, turn: 1 }, { signal: crash(), deadline: Infinity, leaseWait: 0 }));
    }
  };
  await finish();
  for (const text of ["Go on.", "And again."]) {
    await updateAgent(stores.accounts, agent.id, { ...definition, instructions: `Instructions for: ${text}` });
    await acceptInput(deps, runId, text);
    await finish();
  }
  return runId;
}

const awsStores = () => Object.assign(fakeAwsStores(), { [Symbol.dispose]: () => {} });

test.each([
  ["local, chat completions", temporaryStores, chat],
  ["AWS, chat completions", awsStores, chat],
  ["local, Responses", temporaryStores, responses],
  ["AWS, Responses", awsStores, responses],
] as const)("every request of a run can be rebuilt as the model server received it (%s)", async (_, open, wire) => {
  using stores = open();
  // The seventh call is rejected. The call after each summary is aborted, as by a crash.
  let abort = new AbortController();
  let [calls, summarized] = [0, false];
  const reply: Reply = (response, received) => {
    calls++;
    if (calls === 7) return rejects(503, "busy", { "retry-after": "0" })(response, received);
    if (summarized) {
      summarized = false;
      abort.abort();
      response.destroy();
      return;
    }
    summarized = received.text.includes("You summarize");
    return works(wire)(response, received);
  };
  await using server = await chatServer(...Array.from({ length: 200 }, () => reply));
  const runId = await play(stores, wire.provider, server.baseUrl, () => (abort = new AbortController()).signal);

  const journal = await journalOf(stores, runId);
  const modelCalls = journal.filter(({ part }) => part === "answer" || part === "summary");
  const summaries = journal.flatMap((entry) => (entry.part === "summary" ? [entry] : []));
  expect(journal.filter((entry) => entry.turn === 1 && entry.part === "result").length).toBeGreaterThan(steps);
  expect(journal.some((entry) => entry.part === "answer" && entry.cut)).toBe(true);
  expect(journal.some((entry) => entry.part === "answer" && entry.ended === "steps")).toBe(true);
  expect(summaries.some(({ throughTurn }) => throughTurn > 0)).toBe(true);
  expect(summaries.some(({ throughTurn }) => throughTurn === 0)).toBe(true);

  // A request that was rejected or aborted is sent again.
  const bodies = server.received.map(({ text }) => text);
  const sent = bodies.filter((body, index) => body !== bodies[index + 1]);
  expect(sent.length).toBeLessThan(bodies.length);
  const rebuilt: string[] = [];
  for (const { turn, step } of modelCalls) {
    const call = await sentRequest(stores, runId, { turn, step });
    if ("unknown" in call) throw new Error(call.unknown);
    expect(call).toMatchObject({ exact: true, exchange: { received: wire.received } });
    rebuilt.push(call.request.body);
    if (call.failed.length > 0) expect(call.failed[0]?.sent).toMatchObject([{ status: 503 }]);
  }
  expect(rebuilt).toEqual(sent);
  expect(sent.filter((body) => body.includes(pixel)).length).toBeGreaterThan(2);
  if (wire === responses) {
    for (const body of sent) expect(JSON.parse(body)).toHaveProperty("prompt_cache_key", runId);
    const thoughts = sent.map((body) => body.match(/encrypted-\d+/g)?.length ?? 0);
    expect(Math.max(...thoughts)).toBeGreaterThan(2);
    expect(journal.find(({ part }) => part === "answer")).toHaveProperty("answer.reasoning");
  }

  // A result is read again in the turns that have left it out, also by a process that did not record it.
  const results = journal.flatMap((entry) => (entry.part === "result" ? [entry] : []));
  const first = results.find(({ step, call }) => step === 1 && call === 1);
  const again = results.filter(({ result }) => result.name === "read_result");
  expect(new Set(again.map(({ turn }) => turn))).toEqual(new Set([1, 2, 3]));
  const { length } = first?.result.text ?? "";
  const heading = `Result 1.1.2 read_file {"name":"data.txt"}: ${length} characters, here 1000 to ${length}.`;
  expect(new Set(again.map(({ result }) => result.text))).toEqual(
    new Set([`${heading}\n${first?.result.text.slice(1_000)}`]),
  );
  expect(names(JSON.parse(sent[0] ?? "").tools)).toEqual(definition.tools);
  expect(sent.filter((body) => body.includes("read_result with 1.1.2 returns it again.")).length).toBeGreaterThan(0);
  const missing = rebuildRequest(stores, runId, { turn: 1, step: 99 });
  await expect(missing).rejects.toThrow("has no answer in turn 1, step 99");
});

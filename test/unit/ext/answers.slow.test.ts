import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createAgent } from "../../../src/accounts/agents/agents.ts";
import { createKey } from "../../../src/accounts/keys.ts";
import type { AgentDefinition } from "../../../src/accounts/account-types.ts";
import { openapiDocument } from "../../../src/ext/generated/openapi.ts";
import type { Schemas } from "../../../src/ext/call.ts";
import { externalWorkflow } from "../../../src/platform/local/workflow.ts";
import { answerCall, expireAnswers, type GivenAnswer } from "../../../src/runs/control/answer-call.ts";
import { startRun, untilState } from "../../support/ext-runs.ts";
import { type ExtService, extService } from "../../support/ext-service.ts";
import { restCaller } from "../../support/local-service.ts";
import { responseChecks } from "../../support/rest-contract.ts";
import { chatServer, chunk, type Reply, streams, toolCallChunk } from "../../providers/chat-completions-server.ts";

const problemsOf = responseChecks(openapiDocument);
const stop = (finish_reason: string) => chunk({}, { finish_reason });

/** What the model says, or which tools it calls, next. */
let replies: (string | [name: string, input: object][])[] = [];
const answer: Reply = (response, request) => {
  const reply = replies.shift() ?? "no reply is left";
  if (typeof reply === "string") return streams(chunk({ content: reply }), stop("stop"))(response, request);
  const calls = reply.map(([name, input], index) =>
    toolCallChunk(index, { id: `c${index}`, name, arguments: JSON.stringify(input) }),
  );
  return streams(...calls, stop("tool_calls"))(response, request);
};
const model = await chatServer(...Array.from({ length: 200 }, () => answer));

/** The results of tools in the last request to the model. */
function toolResults(): unknown[] {
  const messages = model.received.at(-1)?.body["messages"] as { role: string; content: unknown }[];
  return messages.filter(({ role }) => role === "tool").map(({ content }) => content);
}

let service: ExtService;
beforeAll(async () => {
  const provider = { provider: "openai-compatible", baseUrl: model.baseUrl, model: "m", enabled: true } as const;
  service = await extService({ model: provider });
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

const lookup = {
  name: "find_order",
  description: "Finds an order.",
  input: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
};

/** A caller with the key of a new agent. */
async function agentWith(fields: Partial<AgentDefinition>): Promise<ExtService & { agentId: string }> {
  const { platform, baseUrl, templateId } = service;
  const { organizationId = "" } = (await platform.accounts.findAgent(templateId)) ?? {};
  const { id: agentId } = await createAgent(platform.accounts, organizationId, {
    name: "Asks",
    instructions: "Ask.",
    tools: [],
    limits: { steps: 9, tokens: 1e6, seconds: 60 },
    ...fields,
  });
  const { key: token } = await createKey(platform.accounts, agentId, { name: "desk" });
  return { ...service, agentId, call: restCaller(baseUrl, { basePath: "/ext/v1", token, problemsOf }) };
}

/** A run that waits, with its open calls. */
async function waitingRun(caller: ExtService, body: object = {}): Promise<Schemas["RunDetail"]> {
  return untilState(caller, await startRun(caller, { input_text: "Go.", ...body }), "waiting");
}

/** The open call at an index, as an answer names it. */
function named({ open_calls }: Schemas["RunDetail"], index = 0) {
  const { id: call, arguments_sha256 } = open_calls[index] ?? { id: "", arguments_sha256: "" };
  return { call, arguments_sha256 };
}

async function answers({ call }: ExtService, id: string, body: object): Promise<[status: number, code: unknown]> {
  const response = await call("POST", `/runs/${id}/answers`, { body });
  return [response.status, response.status < 400 ? response.body["state"] : response.body["code"]];
}

async function eventsOf({ call }: ExtService, id: string): Promise<Schemas["Event"][]> {
  return (await call<Schemas["EventPage"]>("GET", `/runs/${id}/events`)).body.data;
}

/** Answers as an operator does with the command line. */
function byOperator(run: Schemas["RunDetail"], given: GivenAnswer["answer"], index = 0) {
  const { call, arguments_sha256: argumentsHash } = named(run, index);
  const deps = { ...service.platform, workflow: externalWorkflow, now: Date.now, actor: "mira" };
  return answerCall(deps, run.id, { call, argumentsHash, answer: given });
}

describe("a client tool", () => {
  test("waits with its exact arguments, and its output is the result of the call", async () => {
    const caller = await agentWith({ clientTools: [lookup] });
    replies = [[["find_order", { id: "4711" }]], "It is on its way."];
    const run = await waitingRun(caller);
    expect(run).toMatchObject({
      status: "running",
      activity: null,
      turn_started_at: null,
      open_calls: [{ id: "1.1.0", kind: "client_tool", name: "find_order", arguments: '{"id":"4711"}' }],
    });
    expect(Date.parse(run.open_calls[0]?.until ?? "") - Date.parse(run.open_calls[0]?.since ?? "")).toBeGreaterThan(
      86_000_000,
    );
    expect(await answers(caller, run.id, { ...named(run), output: { state: "sent" } })).toEqual([200, "running"]);
    expect(await untilState(caller, run.id, "finished")).toMatchObject({ output: "It is on its way.", open_calls: [] });
    expect(toolResults()).toEqual(['{"state":"sent"}']);
    expect(await eventsOf(caller, run.id)).toMatchObject([
      { type: "input" },
      { type: "model_call" },
      { type: "call_asked", call: 0, name: "find_order", kind: "client_tool" },
      {
        type: "call_answered",
        call: 0,
        name: "find_order",
        answer: "output",
        text: '{"state":"sent"}',
        answered_by: "key",
        answered_by_name: "desk",
      },
      { type: "tool_result", name: "find_order", is_error: false },
      { type: "model_call" },
      { type: "output" },
    ]);
  });

  test("can be answered with an error, or with files", async () => {
    const caller = await agentWith({ clientTools: [lookup], tools: ["read_file"] });
    replies = [[["find_order", { id: "1" }]], [["find_order", { id: "2" }]], [["read_file", { name: "o.txt" }]], "Ok."];
    const first = await waitingRun(caller);
    expect(await answers(caller, first.id, { ...named(first), error: "no such order" })).toEqual([200, "running"]);
    const second = await vi.waitFor(async () => {
      const { body } = await caller.call<Schemas["RunDetail"]>("GET", `/runs/${first.id}`);
      expect(body.open_calls[0]?.id).toBe("1.2.0");
      return body;
    });
    expect(toolResults()).toEqual(["no such order"]);
    const files = [{ filename: "o.txt", content_base64: Buffer.from("parcel").toString("base64") }];
    expect(await answers(caller, first.id, { ...named(second), output: "See the file.", files })).toEqual([
      200,
      "running",
    ]);
    await untilState(caller, first.id, "finished");
    const texts = toolResults().map(String);
    expect(texts[1]).toBe("See the file.\n[Files in the workspace: o.txt (6 bytes)]");
    expect(texts[2]).toContain("parcel");
  });

  test.each([
    [{ output: "x", call: "1.1.7" }, [404, "call_not_found"]],
    [{ output: "x", arguments_sha256: "0".repeat(64) }, [409, "arguments_changed"]],
    [{ decision: "allow" }, [422, "invalid_argument"]],
    [{}, [422, "invalid_argument"]],
    [{ output: "x", error: "y" }, [422, "invalid_argument"]],
    [{ error: "y", files: [{ filename: "a", content_base64: "YQ==" }] }, [422, "invalid_argument"]],
    [{ output: "x", reason: "y" }, [422, "invalid_argument"]],
  ])("refuses %j", async (body, expected) => {
    const caller = await agentWith({ clientTools: [lookup] });
    replies = [[["find_order", { id: "1" }]]];
    const run = await waitingRun(caller);
    expect(await answers(caller, run.id, { ...named(run), ...body })).toEqual(expected);
    expect(await answers(service, run.id, { ...named(run), output: "x" })).toEqual([404, "run_not_found"]);
    await caller.call("POST", `/runs/${run.id}/stop`);
    expect(await answers(caller, run.id, { ...named(run), output: "x" })).toEqual([409, "run_ended"]);
  });

  test("has one answer: the same one again is accepted, another one is not", async () => {
    const caller = await agentWith({ clientTools: [lookup] });
    replies = [[["find_order", { id: "1" }]], "Done."];
    const run = await waitingRun(caller);
    const { call, arguments_sha256 } = named(run);
    const given = ["a", "b", "c", "d"].map((output) => ({ call, arguments_sha256, output }));
    const outcomes = await Promise.all(given.map((body) => answers(caller, run.id, body)));
    expect(outcomes.filter(([, code]) => code === "already_answered")).toHaveLength(3);
    const winner = given[outcomes.findIndex(([status]) => status === 200)] ?? {};
    await untilState(caller, run.id, "finished");
    expect((await answers(caller, run.id, winner))[0]).toBe(200);
    expect(await answers(caller, run.id, { ...winner, output: "other" })).toEqual([409, "already_answered"]);
    expect(toolResults()).toHaveLength(1);
  });
});

describe("an approval", () => {
  const write = ["write_file", { name: "a.txt", content: "x" }] satisfies [string, object];
  const asking = {
    tools: ["write_file", "list_files"],
    toolPolicy: { write_file: "ask" },
  } satisfies Partial<AgentDefinition>;

  test("needs an operator, and the call runs when it is allowed", async () => {
    const caller = await agentWith(asking);
    replies = [[["list_files", {}], write], "Done."];
    const run = await waitingRun(caller);
    expect(run.open_calls).toMatchObject([{ id: "1.1.1", kind: "approval" }]);
    expect((await eventsOf(caller, run.id)).map(({ type }) => type)).toContain("tool_result"); // of list_files
    expect(await answers(caller, run.id, { ...named(run), decision: "allow" })).toEqual([403, "approval_not_allowed"]);
    await byOperator(run, { kind: "allow" });
    await untilState(caller, run.id, "finished");
    const answered = (await eventsOf(caller, run.id)).find(({ type }) => type === "call_answered");
    expect(answered).toMatchObject({ answered_by: "operator", answered_by_name: null }); // not for programs
    const { body } = await caller.call<Schemas["RunFilePage"]>("GET", `/runs/${run.id}/files`);
    expect(body.data).toMatchObject([{ name: "a.txt" }]);
    const audit = await service.platform.accounts.listAudit({ since: 0, limit: 5 });
    expect(audit).toContainEqual(expect.objectContaining({ action: "run.answer", actor: "mira", id: run.id }));
  });

  test("tells the model why it was denied", async () => {
    const caller = await agentWith({ ...asking, answers: { keysApprove: true } });
    replies = [[write], "Then not."];
    const run = await waitingRun(caller);
    expect(await answers(caller, run.id, { ...named(run), decision: "deny", reason: "Not today." })).toEqual([
      200,
      "running",
    ]);
    await untilState(caller, run.id, "finished");
    expect(toolResults()).toEqual(["Not executed: the call was denied. Reason: Not today."]);
  });

  test("of a tool with the name of an inherited field needs its own rule", async () => {
    const caller = await agentWith({ clientTools: [{ ...lookup, name: "constructor" }] });
    replies = [[["constructor", { id: "1" }]], "Done."];
    const run = await waitingRun(caller);
    expect(await answers(caller, run.id, { ...named(run), output: "x" })).toEqual([200, "running"]);
    await untilState(caller, run.id, "finished");
  });

  test("is not asked for invalid arguments, and a denied tool is not offered", async () => {
    const caller = await agentWith({ ...asking, toolPolicy: { write_file: "ask", list_files: "deny" } });
    replies = [
      [
        ["write_file", { name: "a.txt" }],
        ["list_files", {}],
      ],
      "Done.",
    ];
    const id = await startRun(caller, { input_text: "Go." });
    await untilState(caller, id, "finished");
    expect(toolResults()[0]).toContain("content");
    expect(toolResults()[1]).toBe("The agent's tool policy denies list_files.");
    const offered = model.received.at(-1)?.body["tools"] as { function: { name: string } }[];
    expect(offered.map((tool) => tool.function.name)).toEqual(["write_file"]);
  });

  test("waits for each call of an answer, and the turn continues with the last one", async () => {
    const caller = await agentWith({ ...asking, answers: { keysApprove: true } });
    replies = [[write, ["write_file", { name: "b.txt", content: "y" }]], "Done."];
    const run = await waitingRun(caller);
    expect(await answers(caller, run.id, { ...named(run, 1), decision: "deny" })).toEqual([200, "waiting"]);
    const left = await untilState(caller, run.id, "waiting");
    expect(left.open_calls.map(({ id }) => id)).toEqual(["1.1.0"]);
    expect(await answers(caller, run.id, { ...named(left), decision: "allow" })).toEqual([200, "running"]);
    await untilState(caller, run.id, "finished");
    const { body } = await caller.call<Schemas["RunFilePage"]>("GET", `/runs/${run.id}/files`);
    expect(body.data.map(({ name }) => name)).toEqual(["a.txt"]);
  });
});

describe("a run that waits", () => {
  const asking = { tools: ["ask_person"] };
  const question = ["ask_person", { question: "Which?", choices: ["a", "b"] }] satisfies [string, object];

  test("v1 says running, lists find it, and a question is answered by a person or a program", async () => {
    const caller = await agentWith(asking);
    replies = [[question], "Thanks."];
    const run = await waitingRun(caller);
    const list = async (status: string) =>
      (await caller.call<Schemas["RunPage"]>("GET", `/runs?status=${status}`)).body.data.map(({ id }) => id);
    expect([await list("waiting"), await list("running")]).toEqual([[run.id], []]);
    const startedAt = performance.now();
    const waited = await caller.call<Schemas["RunDetail"]>("GET", `/runs/${run.id}?wait=20`);
    expect(waited.body.state).toBe("waiting");
    expect(performance.now() - startedAt).toBeGreaterThan(900); // a program that loops sends one request a second
    expect(performance.now() - startedAt).toBeLessThan(20_000); // as long as it would wait for a change
    await byOperator(run, { kind: "output", text: "b" });
    await untilState(caller, run.id, "finished");
    expect(toolResults()).toEqual(["b"]);
  });

  test("queues inputs, and takes no slot: another run starts meanwhile, for which its answer then waits", async () => {
    const caller = await agentWith({ ...asking, maxRunning: 1 });
    replies = [[question], [question], "First.", "Second.", "Third."];
    const first = await waitingRun(caller);
    const second = await waitingRun(caller);
    await caller.call("POST", `/runs/${first.id}/input`, { body: { input_text: "More." } });
    expect(await answers(caller, first.id, { ...named(first), output: "a" })).toEqual([200, "running"]);
    expect((await untilState(caller, first.id, "finished")).turn).toBe(2);
    expect((await answers(caller, second.id, { ...named(second), output: "a" }))[0]).toBe(200);
    await untilState(caller, second.id, "finished");
    const { organizationId = "" } = (await service.platform.accounts.findAgent(caller.agentId)) ?? {};
    const use = await service.platform.runs.quotaUse({ agentId: caller.agentId, organizationId });
    expect(use.agent).toMatchObject({ running: 0, waiting: 0 });
  });

  test("continues without an answer when the time is over", async () => {
    const caller = await agentWith({ ...asking, answers: { withinSeconds: 60 } });
    replies = [[question], "Nobody is there."];
    const run = await waitingRun(caller);
    const deps = { ...service.platform, workflow: externalWorkflow };
    expect(await expireAnswers({ ...deps, now: () => Date.now() + 59_000 })).toBe(0);
    expect(await expireAnswers({ ...deps, now: () => Date.now() + 61_000 })).toBe(1);
    await untilState(caller, run.id, "finished");
    expect(toolResults()).toEqual(["Nobody answered the question in time."]);
    expect(await answers(caller, run.id, { ...named(run), output: "late" })).toEqual([409, "already_answered"]);
    expect((await eventsOf(caller, run.id)).find(({ type }) => type === "call_answered")).toMatchObject({
      answer: "expired",
      answered_by: null,
    });
  });

  test.each(["stop", "delete", "input", "expiry"])(
    "an answer during a %s: both are applied, or the answer is refused",
    async (other) => {
      const caller = await agentWith({ ...asking, allowDelete: true, answers: { withinSeconds: 60 } });
      const deps = { ...service.platform, workflow: externalWorkflow, now: () => Date.now() + 61_000 };
      const others: Record<string, (id: string) => Promise<unknown>> = {
        stop: (id) => caller.call("POST", `/runs/${id}/stop`),
        delete: (id) => caller.call("DELETE", `/runs/${id}`),
        input: (id) => caller.call("POST", `/runs/${id}/input`, { body: { input_text: "More." } }),
        expiry: () => expireAnswers(deps),
      };
      for (let round = 0; round < 5; round++) {
        replies = [[question], "One.", "Two."];
        const run = await waitingRun(caller);
        const [[status, code]] = await Promise.all([
          answers(caller, run.id, { ...named(run), output: "a" }),
          others[other]?.(run.id),
        ]);
        const ends = other === "stop" || other === "delete" ? "terminated" : "finished";
        await untilState(caller, run.id, ends);
        if (status !== 200) expect(["run_ended", "already_answered", "call_not_found"]).toContain(code);
        if (other === "input")
          expect([status, (await untilState(caller, run.id, ends)).queued_inputs]).toEqual([200, 0]);
        const answered = (await eventsOf(caller, run.id)).filter(({ type }) => type === "call_answered");
        if (other !== "delete" && other !== "stop") expect(answered).toHaveLength(1);
      }
    },
  );

  test("is stopped or deleted without an answer", async () => {
    const caller = await agentWith({ ...asking, allowDelete: true });
    replies = [[question], [question]];
    const [first, second] = [await waitingRun(caller), await waitingRun(caller)];
    const stopped = await caller.call<Schemas["Run"]>("POST", `/runs/${first.id}/stop`);
    expect(stopped.body).toMatchObject({ status: "terminated", state: "terminated" });
    expect((await caller.call("DELETE", `/runs/${second.id}`)).status).toBe(200);
    expect(await service.platform.runs.listAsking()).toEqual([]);
  });
});

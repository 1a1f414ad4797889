import { describe, expect, it, vi } from "vitest";
import type { Failure, Model, ModelOutcome } from "../../../lambdas/agent/model.ts";
import { toolNames } from "../../../lambdas/agent/tools/index.ts";
import type { Tool } from "../../../lambdas/agent/tools/tool.ts";
import { runTurn } from "../../../lambdas/agent/turn.ts";
import { answer, call, files, scripted, turn } from "./scripted.ts";

const outage: Failure = { category: "model_unavailable", title: "Down.", remedy: "Wait.", retryable: true };
const wrongKey: Failure = { category: "model_configuration", title: "Key.", remedy: "Mend.", retryable: false };
const write = (id: string, name: string) => call(id, "write_file", { name, content: name });

/** Calls a tool for as long as it has any. */
const endless = (last: ModelOutcome): Model => {
  let id = 0;
  return async ({ tools }) => (tools.length > 0 ? answer("", [call(`${++id}`, "list_files", {})]) : last);
};

const hanging: Model = ({ tools }) => (tools.length > 0 ? new Promise(() => {}) : Promise.resolve(answer("Cut.")));

describe("a turn", () => {
  it("ends with the model's text, and leaves recording the last answer to the caller", async () => {
    const { model, requests } = scripted([answer("Done.")]);
    const { input, ports, records } = turn(model);
    expect(await runTurn(input, ports)).toEqual({
      kind: "done",
      text: "Done.",
      ended: "normally",
      last: { part: "answer", step: 1, milliseconds: expect.any(Number), ...answer("Done.") },
    });
    expect(records).toEqual([]);
    expect(requests).toMatchObject([{ instructions: "Be brief.", messages: [{ role: "user", text: "Go." }] }]);
    expect(requests[0]?.tools.map((tool) => tool.name)).toEqual(toolNames);
  });

  it("records an answer before its tools run, and their results before the next model call", async () => {
    const log: string[] = [];
    const { model } = scripted([answer("", [write("1", "a.txt"), write("2", "b.txt")]), answer("Done.")]);
    const space = files();
    const { input, ports } = turn(async (request) => (log.push("model"), model(request)), {
      ports: {
        files: { ...space, write: async (name, data) => (log.push(`write ${name}`), space.write(name, data)) },
        record: async (part) => (log.push(`record ${part.part}`), true),
      },
    });
    await runTurn(input, ports);
    expect(log).toEqual([
      "model",
      "record answer",
      "write a.txt",
      "write b.txt",
      "record result",
      "record result",
      "model",
    ]);
  });

  it("runs the calls of one answer at the same time, and gives results in call order", async () => {
    const first = Promise.withResolvers<void>();
    const tools: Tool[] = [
      {
        definition: { name: "waits", description: "", input: {} },
        run: () => first.promise.then(() => ({ text: "1" })),
      },
      {
        definition: { name: "frees", description: "", input: {} },
        run: async () => (first.resolve(), { text: "2" }),
      },
    ];
    const { model, requests } = scripted([
      answer("", [call("a", "waits", {}), call("b", "frees", {})]),
      answer("Done."),
    ]);
    const { input, ports } = turn(model, { ports: { tools } });
    expect(await runTurn(input, ports)).toMatchObject({ kind: "done" });
    expect(requests[1]?.messages.at(-1)).toEqual({
      role: "tool",
      results: [
        { callId: "a", name: "waits", text: "1" },
        { callId: "b", name: "frees", text: "2" },
      ],
    });
  });

  it("tells the model about calls that can't be run: invalid, unknown, wrong input", async () => {
    const broken = { ...call("1", "read_file", "{"), invalid: "Not JSON." };
    const calls = [broken, call("2", "delete_all", {}), call("3", "read_file", { file: "a" })];
    const { model } = scripted([answer("", calls), answer("Done.")]);
    const { input, ports, records } = turn(model);
    await runTurn(input, ports);
    const noTool = expect.stringMatching(/no tool "delete_all".*list_files, read_file, write_file/);
    expect(records.slice(1)).toMatchObject([
      { part: "result", call: 0, result: { callId: "1", text: "Not JSON.", error: true } },
      { part: "result", call: 1, result: { callId: "2", text: noTool, error: true } },
      { call: 2, result: { text: expect.stringMatching(/required property 'name'.*"file"/), error: true } },
    ]);
  });

  it("names the files of the workspace before the first step only, and records that it did", async () => {
    const { model, requests } = scripted([answer("", [call("1", "list_files", {})]), answer("Done.")]);
    const { input, ports, records } = turn(model, { ports: { files: files({ "a.txt": "abc" }) } });
    await runTurn(input, ports);
    const note = { role: "user", text: "Files in the workspace:\na.txt (3 bytes)", note: true };
    expect(requests[0]?.messages).toEqual([{ role: "user", text: "Go." }, note]);
    expect(requests[1]?.messages.filter((message) => message.role === "user")).toHaveLength(2);
    expect(records[0]).toMatchObject({ part: "answer", note: note.text });
  });

  it("emits what happens without any content", async () => {
    const { model } = scripted([answer("", [write("1", "secret.txt")]), answer("secret")]);
    const { input, ports, events } = turn(model);
    await runTurn(input, ports);
    expect(events.map((event) => event.type)).toEqual([
      "model-called",
      "model-answered",
      "tool-called",
      "tool-ended",
      "model-called",
      "model-answered",
    ]);
    expect(JSON.stringify(events)).not.toContain("secret");
  });
});

describe("trouble with the model", () => {
  it("passes on what waiting may mend as retry, anything else as failed", async () => {
    const retry = turn(scripted([{ failure: outage, retryAfter: 7000 }]).model);
    expect(await runTurn(retry.input, retry.ports)).toEqual({ kind: "retry", failure: outage, after: 7000 });
    const failed = turn(scripted([{ failure: wrongKey }]).model);
    expect(await runTurn(failed.input, failed.ports)).toEqual({ kind: "failed", failure: wrongKey });
  });

  it("asks once more after an empty answer, and fails at the second", async () => {
    const better = scripted([answer(" "), answer("Done.")]);
    const once = turn(better.model);
    expect(await runTurn(once.input, once.ports)).toMatchObject({ kind: "done", text: "Done." });
    expect(better.requests[1]?.messages.at(-1)).toMatchObject({ note: true, text: expect.stringContaining("empty") });

    const never = scripted([answer(""), answer("")]);
    const twice = turn(never.model);
    expect(await runTurn(twice.input, twice.ports)).toMatchObject({
      kind: "failed",
      failure: { category: "model_answer", retryable: false },
    });
    expect(never.requests).toHaveLength(2);
  });

  it("keeps an answer that was cut at its longest, and says so", async () => {
    const { input, ports } = turn(scripted([answer("Half of", [], { finishReason: "length" })]).model);
    expect(await runTurn(input, ports)).toMatchObject({ kind: "done", text: "Half of", ended: "answer_length" });
  });

  it("fails at once when a content filter withheld everything, and keeps a refusal in words", async () => {
    const { model, requests } = scripted([answer("", [], { finishReason: "content-filter" })]);
    const withheld = turn(model);
    expect(await runTurn(withheld.input, withheld.ports)).toMatchObject({ failure: { category: "model_refused" } });
    expect(requests).toHaveLength(1);
    const refusal = turn(scripted([answer("I can't.", [], { finishReason: "content-filter" })]).model);
    expect(await runTurn(refusal.input, refusal.ports)).toMatchObject({ kind: "done", text: "I can't." });
  });
});

describe("limits", () => {
  it.each([
    ["steps", { steps: 3, tokens: 1000, seconds: 600 }, 6],
    ["tokens", { steps: 100, tokens: 30, seconds: 600 }, 4],
  ] as const)("%s: calls the model once more, without tools, and takes its text", async (reason, limits, recorded) => {
    const { input, ports, records, events } = turn(endless(answer("What I have.")), { input: { limits } });
    const outcome = await runTurn(input, ports);
    expect(outcome).toMatchObject({ kind: "done", text: "What I have.", ended: reason, last: { ended: reason } });
    expect(records).toHaveLength(recorded);
    expect(events).toContainEqual({ type: "limit-reached", reason, of: "turn", step: recorded / 2 + 1 });
    expect(outcome).toMatchObject({ last: { note: expect.stringContaining(`limit of ${limits[reason]} ${reason}`) } });
  });

  it("seconds: counts from when the input was accepted, across resumes", async () => {
    const { input, ports } = turn(endless(answer("Late.")), { ports: { now: () => 600_000 } });
    expect(await runTurn(input, ports)).toMatchObject({ kind: "done", text: "Late.", ended: "seconds" });
  });

  it("seconds: cuts off a model call and a tool that ignore their signals", async () => {
    vi.useFakeTimers();
    try {
      const slowModel = turn(hanging, { ports: { now: () => Date.now() }, input: { startedAt: Date.now() } });
      const outcome = runTurn(slowModel.input, slowModel.ports);
      await vi.advanceTimersByTimeAsync(601_000);
      expect(await outcome).toMatchObject({ kind: "done", text: "Cut.", ended: "seconds" });

      const stuck: Tool = {
        definition: { name: "stuck", description: "", input: {} },
        run: () => new Promise(() => {}),
      };
      const { model } = scripted([answer("", [call("1", "stuck", {})]), answer("Cut.")]);
      const slowTool = turn(model, {
        ports: { now: () => Date.now(), tools: [stuck] },
        input: { startedAt: Date.now() },
      });
      const second = runTurn(slowTool.input, slowTool.ports);
      await vi.advanceTimersByTimeAsync(601_000);
      expect(await second).toMatchObject({ kind: "done", text: "Cut.", ended: "seconds" });
      expect(slowTool.records[1]).toMatchObject({
        result: { error: true, text: expect.stringContaining("600 seconds") },
      });
    } finally {
      vi.useRealTimers();
    }
  });

  it("ignores tool calls in the last answer, and does not echo them", async () => {
    const last = answer("Text.", [call("x", "list_files", {})], { echo: ["calls"] });
    const { input, ports } = turn(endless(last), { input: { limits: { steps: 1, tokens: 1000, seconds: 600 } } });
    const outcome = await runTurn(input, ports);
    expect(outcome).toMatchObject({ kind: "done", text: "Text.", last: { answer: { toolCalls: [] } } });
    expect(JSON.stringify(outcome)).not.toContain("echo");
  });

  it.each([
    ["is empty", answer(""), "failed", false],
    ["fails for good", { failure: wrongKey }, "failed", false],
    ["may be had later", { failure: outage, retryAfter: 5 }, "retry", true],
  ] as const)("is the failure's category when the last answer %s", async (_, last, kind, retryable) => {
    const { input, ports } = turn(endless(last), { input: { limits: { steps: 1, tokens: 1000, seconds: 600 } } });
    expect(await runTurn(input, ports)).toMatchObject({ kind, failure: { category: "limit", retryable } });
  });
});

describe("pausing and stopping", () => {
  it("begins no step from the deadline on, but ends the one whose answer is recorded", async () => {
    let now = 0;
    const { model, requests } = scripted([answer("", [write("1", "a.txt")]), answer("Done.")]);
    const { input, ports, records } = turn(async (request) => ((now = 100), model(request)), {
      ports: { now: () => now },
      input: { deadline: 100 },
    });
    expect(await runTurn(input, ports)).toEqual({ kind: "paused" });
    expect(records.map((record) => record.part)).toEqual(["answer", "result"]);
    expect(requests).toHaveLength(1);
  });

  it("stops when a record is refused, without running the tools", async () => {
    const space = files();
    const { model } = scripted([answer("", [write("1", "a.txt")])]);
    const { input, ports } = turn(model, { ports: { files: space, record: async () => false } });
    expect(await runTurn(input, ports)).toEqual({ kind: "stopped" });
    expect(space.content.size).toBe(0);
  });

  it("stops at once by the signal, during a model call or a tool that ignores it", async () => {
    const deaf: Tool = { definition: { name: "deaf", description: "", input: {} }, run: () => new Promise(() => {}) };
    const models: Model[] = [() => new Promise(() => {}), scripted([answer("", [call("1", "deaf", {})])]).model];
    for (const model of models) {
      const stop = new AbortController();
      const { input, ports } = turn(model, { ports: { signal: stop.signal, tools: [deaf] } });
      const outcome = runTurn(input, ports);
      setImmediate(() => stop.abort());
      expect(await outcome).toEqual({ kind: "stopped" });
    }
  });

  it("hands its signal to the model and the tools", async () => {
    const stop = new AbortController();
    let seen: AbortSignal | undefined;
    const { input, ports } = turn(({ signal }) => ((seen = signal), new Promise(() => {})), {
      ports: { signal: stop.signal },
    });
    const outcome = runTurn(input, ports);
    setImmediate(() => stop.abort(new Error("stopped by an operator")));
    await outcome;
    expect(seen?.reason).toEqual(new Error("stopped by an operator"));
  });

  it("passes on an outage of the store, after all tools of the answer have ended", async () => {
    const space = files();
    const slow = Promise.withResolvers<void>();
    const flaky = {
      ...space,
      list: async () => [],
      write: async (name: string, data: Uint8Array) => {
        if (name === "a.txt") throw new Error("store down");
        await slow.promise;
        await space.write(name, data);
      },
    };
    const { model } = scripted([answer("", [write("1", "a.txt"), write("2", "b.txt")])]);
    const { input, ports, records } = turn(model, { ports: { files: flaky } });
    setImmediate(slow.resolve);
    await expect(runTurn(input, ports)).rejects.toThrow("store down");
    expect([...space.content.keys()]).toEqual(["b.txt"]);
    expect(records).toMatchObject([{ part: "answer" }, { part: "result", call: 1 }]);
  });
});

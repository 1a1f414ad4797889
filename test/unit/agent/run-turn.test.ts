import { describe, expect, it } from "vitest";
import type { Failure, Model } from "../../../src/agent/model.ts";
import { builtInTools, toolNames } from "../../../src/agent/tools/index.ts";
import type { Tool } from "../../../src/agent/tools/tool.ts";
import { runTurn } from "../../../src/agent/turn/run-turn.ts";
import { toolNotesIn } from "../../../src/agent/turn/tool-notes.ts";
import { allTools, answer, call, openFiles, scripted, spaceOf, turn } from "./scripted.ts";

const outage: Failure = { category: "model_unavailable", title: "Down.", remedy: "Wait.", retryable: true };
const wrongKey: Failure = { category: "model_configuration", title: "Key.", remedy: "Fix it.", retryable: false };
const missing = (name: string, unavailable: string): Tool => {
  return { definition: { name, description: "", input: {} }, unavailable, run: async () => ({ text: "" }) };
};
const write = (id: string, name: string) => call(id, "write_file", { name, content: name });

describe("a turn", () => {
  it("ends with the model's text, and leaves the last entry to the caller", async () => {
    const { model, requests } = scripted([answer("Done.")]);
    const { input, ports, records } = turn(model);
    expect(await runTurn(input, ports)).toEqual({
      kind: "done",
      text: "Done.",
      finishReason: "completed",
      last: { part: "answer", step: 1, milliseconds: expect.any(Number), ...answer("Done.") },
    });
    expect(records).toEqual([]);
    expect(requests).toMatchObject([{ instructions: "Be brief.", messages: [{ role: "user", text: "Go." }] }]);
    const working = toolNames.filter((name) => !name.startsWith("run_"));
    expect(requests[0]?.tools.map((tool) => tool.name)).toEqual(working);
  });

  it("records an answer before its tools execute, and their results before the next model call", async () => {
    const log: string[] = [];
    const { model } = scripted([answer("", [write("1", "a.txt"), write("2", "b.txt")]), answer("Done.")]);
    const logged: Model = (request) => {
      log.push("model");
      return model(request);
    };
    const contents = {
      read: async () => undefined,
      write: async () => void log.push("write"),
      remove: async () => {},
    };
    const { input, ports } = turn(logged, {
      ports: {
        files: openFiles(spaceOf(), [], { contents }),
        record: async (entry) => (log.push(`record ${entry.part}`), true),
      },
    });
    await runTurn(input, ports);
    expect(log).toEqual(["model", "record answer", "write", "write", "record result", "record result", "model"]);
  });

  it("executes the calls of one answer concurrently, with results in call order", async () => {
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

  it("returns an error for calls that cannot be executed: invalid, unknown, wrong input", async () => {
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

  it("does not offer an unavailable tool, and returns an error when the model calls it", async () => {
    const invalid = "There is no such tool."; // set by the provider, which was not offered the tool
    const { model, requests } = scripted([
      answer("", [{ ...call("1", "run_shell", { script: "ls" }), invalid }, call("2", "delete_all", {})]),
      answer("Done."),
    ]);
    const { input, ports, records } = turn(model, { ports: { tools: allTools() } });
    await runTurn(input, ports);
    for (const { tools } of requests) expect(tools.map(({ name }) => name)).not.toContain("run_shell");
    const [, shell, unknown] = records;
    expect(shell).toMatchObject({
      result: { error: true, text: expect.stringMatching(/^run_shell is not available\. This service has no Linux/) },
    });
    expect(unknown).toMatchObject({ result: { text: expect.not.stringContaining("run_shell") } });
  });

  it("lists the workspace files before the first step only, and records the note", async () => {
    const { model, requests } = scripted([answer("", [call("1", "list_files", {})]), answer("Done.")]);
    const { input, ports, records } = turn(model, { space: spaceOf({ "a.txt": "abc" }) });
    await runTurn(input, ports);
    const note = { role: "user", text: "Files in the workspace:\na.txt (3 bytes)", note: true };
    expect(requests[0]?.messages).toEqual([{ role: "user", text: "Go." }, note]);
    expect(requests[1]?.messages.filter((message) => message.role === "user")).toHaveLength(2);
    expect(records[0]).toMatchObject({ part: "answer", note: note.text });
  });

  it("names missing tools with the reason before the first step only, and records the note", async () => {
    const { model, requests } = scripted([answer("", [call("1", "list_files", {})]), answer("Done.")]);
    const list = allTools().filter(({ definition }) => definition.name === "list_files");
    const tools = [
      missing("run_shell", "run_shell is not available:\ninstall it."),
      ...list,
      missing("b", "Not here."),
    ];
    const { input, ports, records } = turn(model, { ports: { tools }, space: spaceOf({ "a.txt": "abc" }) });
    await runTurn(input, ports);
    const text =
      "Tools that cannot be used in this turn:\nrun_shell is not available: install it.\nb: Not here.\n\n" +
      "Files in the workspace:\na.txt (3 bytes)";
    const note = { role: "user", text, note: true };
    expect(requests[0]?.messages).toEqual([{ role: "user", text: "Go." }, note]);
    expect(requests[1]?.messages.filter((message) => message.role === "user")).toHaveLength(2);
    expect(records[0]).toMatchObject({ part: "answer", note: text });
    expect(requests.map(({ tools: offered }) => offered.map(({ name }) => name))).toEqual([
      ["list_files"],
      ["list_files"],
    ]);
  });

  it("names tools that run in something else than the agent's definition says, and offers them", async () => {
    const { model, requests } = scripted([answer("Done.")]);
    const tools = builtInTools(
      { tools: ["run_python", "run_shell"], environment: "reports" },
      {
        linux: { unavailable: 'The environment "reports" is not installed.' },
        sandbox: { maxBytes: 1, run: async () => ({ output: "", written: [], notes: [] }) },
      },
    );
    const { input, ports } = turn(model, { ports: { tools } });
    const outcome = await runTurn(input, ports);
    const [unavailable, replaced] = [
      'run_shell is not available. The environment "reports" is not installed.',
      'run_python has Python\'s standard library only, without the environment "reports". The environment "reports" is not installed.',
    ];
    const text =
      `Tools that cannot be used in this turn:\n${unavailable}\n\n` +
      `Tools that do not run as the agent's definition says:\n${replaced}`;
    expect(requests[0]?.messages.at(-1)).toMatchObject({ note: true, text });
    expect(toolNotesIn(`${text}\n\nFiles in the workspace:\nrun_shell`)).toEqual([unavailable, replaced]);
    expect(outcome).toMatchObject({ kind: "done", last: { note: text } });
    expect(requests[0]?.tools.map(({ name }) => name)).toEqual(["run_python"]);
  });

  it("names missing tools although no other tool is left", async () => {
    const { model, requests } = scripted([answer("Done.")]);
    const tools = allTools().filter(({ definition }) => definition.name === "run_javascript");
    const { input, ports } = turn(model, { ports: { tools } });
    expect(await runTurn(input, ports)).toMatchObject({ kind: "done", last: { note: expect.any(String) } });
    expect(requests[0]?.messages.at(-1)).toMatchObject({
      note: true,
      text: expect.stringContaining("run_javascript is"),
    });
  });

  it("emits events without content", async () => {
    const { model } = scripted([answer("", [write("1", "secret.txt")]), answer("secret")]);
    const { input, ports, events } = turn(model);
    await runTurn(input, ports);
    expect(events.map((event) => event.type)).toEqual([
      "model-call-started",
      "model-call-completed",
      "tool-call-started",
      "tool-call-completed",
      "model-call-started",
      "model-call-completed",
    ]);
    expect(JSON.stringify(events)).not.toContain("secret");
  });
});

describe("a model failure", () => {
  it("ends the turn with retry when it is retryable, otherwise with failed", async () => {
    const retry = turn(scripted([{ failure: outage, retryAfterMs: 7000 }]).model);
    expect(await runTurn(retry.input, retry.ports)).toEqual({ kind: "retry", failure: outage, retryAfterMs: 7000 });
    const failed = turn(scripted([{ failure: wrongKey }]).model);
    expect(await runTurn(failed.input, failed.ports)).toEqual({ kind: "failed", failure: wrongKey });
  });

  it("repeats the call after an empty answer, and fails at the second", async () => {
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

  it("allows empty answers that are not consecutive", async () => {
    const look = answer("", [call("1", "list_files", {})]);
    const { model } = scripted([answer(""), look, answer(""), answer("Done.")]);
    const { input, ports } = turn(model);
    expect(await runTurn(input, ports)).toMatchObject({ kind: "done", text: "Done." });
  });

  it("keeps an answer cut at the maximum length, with its finish reason", async () => {
    const { input, ports } = turn(scripted([answer("Half of", [], { finishReason: "length" })]).model);
    expect(await runTurn(input, ports)).toMatchObject({ kind: "done", text: "Half of", finishReason: "answer_length" });
  });

  it("fails when a content filter removed the whole answer, and keeps a refusal in words", async () => {
    const { model, requests } = scripted([answer("", [], { finishReason: "content-filter" })]);
    const withheld = turn(model);
    expect(await runTurn(withheld.input, withheld.ports)).toMatchObject({ failure: { category: "model_refused" } });
    expect(requests).toHaveLength(1);
    const refusal = turn(scripted([answer("I can't.", [], { finishReason: "content-filter" })]).model);
    expect(await runTurn(refusal.input, refusal.ports)).toMatchObject({
      kind: "done",
      text: "I can't.",
      last: { ended: "answer_filtered" },
    });
  });
});

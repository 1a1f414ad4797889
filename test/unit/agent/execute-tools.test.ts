import { describe, expect, it } from "vitest";
import type { JournalEntry } from "../../../src/agent/turn/journal.ts";
import { defaultFileLimits, type FileLimits } from "../../../src/agent/tools/files/file-limits.ts";
import type { Tool } from "../../../src/agent/tools/tool.ts";
import { runTurn } from "../../../src/agent/turn/run-turn.ts";
import { answer, call, openFiles, scripted, spaceOf, textsIn, turn } from "./scripted.ts";

/** A tool that counts its calls. */
function counting(name: string, more: Partial<Tool> = {}): Tool & { calls: number } {
  const tool: Tool & { calls: number } = {
    definition: { name, description: "", input: {} },
    calls: 0,
    run: async () => ({ text: `sent ${++tool.calls}` }),
    ...more,
  };
  return tool;
}

const script = [answer("", [call("a", "send", {}), call("b", "look", {})]), answer("Done.")];

describe("a tool with effects", () => {
  it("is recorded as begun before it is called; a tool without effects is not", async () => {
    const log: string[] = [];
    const send = counting("send", { hasEffects: true, run: async () => (log.push("send"), { text: "sent" }) });
    const look = counting("look");
    const { input, ports } = turn(scripted(script).model, {
      ports: {
        tools: [send, look],
        record: async (entry) => (log.push(entry.part + ("call" in entry ? ` ${entry.call}` : "")), true),
      },
    });
    await runTurn(input, ports);
    expect(log.indexOf("began 0")).toBeGreaterThan(log.indexOf("answer"));
    expect(log.indexOf("send")).toBeGreaterThan(log.indexOf("began 0"));
    expect(log).toContain("result 0");
    expect(log).not.toContain("began 1");
  });

  const begun: JournalEntry[] = [
    { part: "answer", step: 1, ...(script[0] as Extract<(typeof script)[0], { answer: unknown }>) },
    { part: "began", step: 1, call: 0 },
  ];

  it("is not called again after a crash; the model learns that the outcome is unknown", async () => {
    const [send, look] = [counting("send", { hasEffects: true }), counting("look")];
    const { model, requests } = scripted(script);
    const { input, ports, records } = turn(model, { ports: { tools: [send, look] }, input: { journal: begun } });
    expect(await runTurn(input, ports)).toMatchObject({ kind: "done", text: "Done." });
    expect([send.calls, look.calls]).toEqual([0, 1]);
    const unknown = {
      callId: "a",
      name: "send",
      error: true,
      text: expect.stringContaining("may or may not have taken effect"),
    };
    expect(records).toContainEqual({ part: "result", step: 1, call: 0, result: unknown, milliseconds: 0 });
    expect(requests[0]?.messages.at(-1)).toMatchObject({ role: "tool", results: [unknown, { callId: "b" }] });
  });

  it("is not called again when version 0.1 recorded an edit as begun, which could insert a text twice", async () => {
    const edit = call("a", "edit_file", { name: "list.txt", old_text: "end", new_text: "item\nend" });
    const edits = [answer("", [edit]), answer("Done.")];
    const space = spaceOf({ "list.txt": "item\nend" });
    const recorded: JournalEntry[] = [
      { part: "answer", step: 1, ...(edits[0] as Extract<(typeof edits)[0], { answer: unknown }>) },
      { part: "began", step: 1, call: 0 },
    ];
    const { model, requests } = scripted(edits);
    const { input, ports } = turn(model, { space, input: { journal: recorded } });
    await runTurn(input, ports);
    expect(await textsIn(space, ports.files)).toEqual({ "list.txt": "item\nend" });
    const unknown = { callId: "a", error: true, text: expect.stringContaining("may or may not have taken effect") };
    expect(requests[0]?.messages.at(-1)).toMatchObject({ role: "tool", results: [unknown] });
  });

  it("has an unknown outcome when its server does not respond after the crash", async () => {
    const { model, requests } = scripted(script);
    const { input, ports } = turn(model, { ports: { tools: [counting("look")] }, input: { journal: begun } });
    await runTurn(input, ports);
    const unknown = { callId: "a", error: true, text: expect.stringContaining("may or may not have taken effect") };
    expect(requests[0]?.messages.at(-1)).toMatchObject({ role: "tool", results: [unknown, { callId: "b" }] });
  });

  it("is called again when it is idempotent, without a second began entry", async () => {
    const send = counting("send", { hasEffects: true, idempotent: true });
    const tools = [send, counting("look")];
    const { input, ports, records } = turn(scripted(script).model, { ports: { tools }, input: { journal: begun } });
    await runTurn(input, ports);
    expect(send.calls).toBe(1);
    expect(records.filter(({ part }) => part === "began")).toEqual([]);
  });

  it("is not called when the began entry is rejected", async () => {
    const send = counting("send", { hasEffects: true });
    const { input, ports } = turn(scripted(script).model, {
      ports: { tools: [send, counting("look")], record: async ({ part }) => part !== "began" },
    });
    expect(await runTurn(input, ports)).toEqual({ kind: "stopped" });
    expect(send.calls).toBe(0);
  });

  it("is called when its call has no began entry", async () => {
    const send = counting("send", { hasEffects: true });
    const { input, ports } = turn(scripted(script).model, {
      ports: { tools: [send, counting("look")] },
      input: { journal: begun.slice(0, 1) },
    });
    await runTurn(input, ports);
    expect(send.calls).toBe(1);
  });
});

/** The results of the first step, as the model gets them. */
async function resultsOf(tools: Tool[], limits: FileLimits, space = spaceOf()) {
  const { model, requests } = scripted(script);
  const files = openFiles(space, [], { limits });
  const { input, ports, records } = turn(model, { ports: { tools, files }, space });
  await runTurn(input, ports);
  const message = requests[1]?.messages.at(-1);
  const results = message?.role === "tool" ? message.results : [];
  return { results, texts: await textsIn(space, files), records };
}

describe("a tool result", () => {
  const text = `${"0123456789".repeat(4_000)}end`;
  const large: Tool = { definition: { name: "send", description: "", input: {} }, run: async () => ({ text }) };

  it("that is large is written to a workspace file; the model gets its beginning and the file name", async () => {
    const space = spaceOf();
    const { model, requests } = scripted(script);
    const { input, ports } = turn(model, {
      ports: { tools: [large, counting("look")] },
      space,
      input: { turn: 3 },
    });
    await runTurn(input, ports);
    expect(await textsIn(space, ports.files)).toEqual({ "tool-result-3-1-1.txt": text });
    const [result] =
      requests[1]?.messages.at(-1)?.role === "tool"
        ? (requests[1].messages.at(-1) as { results: { text: string }[] }).results
        : [];
    expect(result?.text.length).toBeLessThan(7_000);
    expect(result?.text.startsWith("0123456789")).toBe(true);
    expect(result?.text).toMatch(/40003 characters.*workspace file tool-result-3-1-1\.txt/);
  });

  it("that is large is also saved when the call changed other files", async () => {
    const writing: Tool = {
      ...large,
      run: async (_, { files }) => {
        await files.update(async () => {
          await files.write("reports/a.csv", Buffer.from("a"));
          await files.remove("old.txt");
        });
        return { text };
      },
    };
    const { texts, records } = await resultsOf(
      [writing, counting("look")],
      defaultFileLimits,
      spaceOf({ "old.txt": "" }),
    );
    expect(texts).toMatchObject({ "reports/a.csv": "a", "tool-result-1-1-1.txt": text });
    const result = records.find((entry) => entry.part === "result" && entry.call === 0);
    expect(result).toMatchObject({
      files: [{ name: "reports/a.csv" }, { name: "old.txt", deleted: true }, { name: "tool-result-1-1-1.txt" }],
    });
  });

  it.each([
    [{ files: 1, bytes: 1e9, fileBytes: 1e9 }, { a: "" }, "The workspace has 1 files; at most 1 are accepted."],
    [{ files: 9, bytes: 40_000, fileBytes: 1e9 }, { a: "" }, "the workspace would have 40003 bytes; at most 40000"],
    [{ files: 9, bytes: 1e9, fileBytes: 1e9 }, { "tool-result-1-1-1.txt/b": "" }, "is a folder with 1 files"],
  ])("that is large and cannot be saved is shortened, and the model learns why (%j)", async (limits, files, reason) => {
    const { results, texts } = await resultsOf([large, counting("look")], limits, spaceOf(files));
    expect(texts).toEqual(files);
    expect(results[0]?.error).toBeUndefined();
    expect(results[0]?.text).toContain("The result has 40003 characters.");
    expect(results[0]?.text).toContain("The rest is lost, because it could not be saved");
    expect(results[0]?.text).toContain(reason);
  });

  it("is the reason why a file was refused, when the tool does not say it", async () => {
    const writing: Tool = {
      ...large,
      run: async (_, { files }) => {
        await files.write("a", Buffer.from("1"));
        await files.write("b", Buffer.from("123456"));
        return { text: "Wrote both." };
      },
    };
    const limits = { files: 9, bytes: 5, fileBytes: 10 };
    const { results, texts } = await resultsOf([writing, counting("look")], limits);
    expect(results[0]).toMatchObject({ error: true, text: expect.stringContaining("would have 7 bytes; at most 5") });
    expect(texts).toEqual({ a: "1" });
  });

  it("counts as large when it exceeds a small context window", async () => {
    const space = spaceOf();
    const small = { ...large, run: async () => ({ text: "x".repeat(5_000) }) };
    const { input, ports } = turn(scripted(script).model, {
      ports: { tools: [small, counting("look")] },
      space,
      input: { contextTokens: 4_000 },
    });
    await runTurn(input, ports);
    expect(Object.keys(await textsIn(space, ports.files))).toEqual(["tool-result-1-1-1.txt"]);
  });

  it("is well-formed Unicode", async () => {
    const broken: Tool = {
      definition: { name: "broken", description: "", input: {} },
      run: async () => ({ text: "\u0000 and \ud800 alone" }),
    };
    const { model } = scripted([answer("", [call("1", "broken", {})]), answer("Done.")]);
    const { input, ports, records } = turn(model, { ports: { tools: [broken] } });
    await runTurn(input, ports);
    expect(records[1]).toMatchObject({ part: "result", result: { text: "\u0000 and \ufffd alone" } });
  });
});

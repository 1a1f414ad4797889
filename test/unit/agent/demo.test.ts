import { describe, expect, it, onTestFinished, vi } from "vitest";
import { demo } from "../../../src/agent/models/demo.ts";
import { clientTools } from "../../../src/agent/tools/client-tools.ts";
import type { JournalEntry } from "../../../src/agent/turn/journal.ts";
import { runTurn } from "../../../src/agent/turn/run-turn.ts";
import type { TurnOutcome } from "../../../src/agent/turn/turn-types.ts";
import { allTools, spaceOf, turn } from "./scripted.ts";

function text(outcome: TurnOutcome): string {
  if (outcome.kind !== "done") throw new Error(`the turn is ${outcome.kind}`);
  return outcome.text;
}

const says = (input: string) => ({ history: [{ role: "user" as const, text: input }] });

const calledIn = (records: JournalEntry[]): string[] =>
  records.flatMap((record) => (record.part === "answer" ? record.answer.toolCalls.map(({ name }) => name) : []));

describe("the demo model", () => {
  it("responds in one step without files", async () => {
    const { input, ports, records } = turn(demo, { input: says("Hello there.") });
    const answer = text(await runTurn(input, ports));
    expect(answer).toContain('12 characters and 2 words: "Hello there."');
    expect(answer).toContain("This is the demo model");
    expect(records).toHaveLength(0);
  });

  it("responds to long inputs without reading them again from each line", async () => {
    const lines = turn(demo, { input: says("\n".repeat(1_000_000)) });
    expect(text(await runTurn(lines.input, lines.ports))).toContain("1000000 characters and 0 words");
    const words = turn(demo, { input: says("a b ".repeat(300_000)) });
    expect(text(await runTurn(words.input, words.ports))).toContain("1200000 characters and at least 500000 words");
  });

  it("lists the files, reads them in parallel and quotes them", async () => {
    const space = spaceOf({
      "data (1).csv": "name,age\nAda,36\n",
      "empty.txt": "",
      "logo.png": Buffer.from("89504e470d0a", "hex"),
    });
    const { input, ports, records } = turn(demo, { input: says("Read."), space });
    const answer = text(await runTurn(input, ports));
    expect(answer).toContain("The workspace has 3 files:\ndata (1).csv (16 bytes)");
    expect(answer).toContain("data (1).csv: 2 lines, 2 words. It begins:\n> name,age\n> Ada,36");
    expect(answer).toContain("empty.txt: 0 lines, 0 words");
    expect(answer).toContain("logo.png is a PNG image");
    const calls = records.flatMap((record) =>
      record.part === "answer" ? [record.answer.toolCalls.map((c) => c.name)] : [],
    );
    expect(calls).toEqual([["list_files"], ["read_file", "read_file", "read_file"]]);
  });

  it("reads as many files as a line of the instructions says", async () => {
    const files = { "a.txt": "alpha", "b.txt": "beta", "c.txt": "gamma" };
    const instructions = "Work.\ndemo: files=1";
    const { input, ports, records } = turn(demo, { input: { ...says("Read."), instructions }, space: spaceOf(files) });
    const answer = text(await runTurn(input, ports));
    expect(calledIn(records)).toEqual(["list_files", "read_file"]);
    expect(answer).toContain("The workspace has 3 files");
    expect(answer).toContain("> alpha");
    expect(answer).not.toContain("> beta");
  });

  it.each([
    ["with files", { "a.txt": "alpha" }],
    ["without files", {}],
  ])("takes the number of steps in the directive, %s", async (_, initial) => {
    const { input, ports, records } = turn(demo, { input: says("demo: steps=12"), space: spaceOf(initial) });
    expect(text(await runTurn(input, ports))).toContain("I took 12 steps");
    expect(records.filter((record) => record.part === "answer")).toHaveLength(12);
    expect(
      records.flatMap((record) => (record.part === "result" ? [record.result] : [])).filter((r) => r.error),
    ).toEqual([]);
  });

  it("calls the first tool of the caller's program once per turn, before its answer", async () => {
    const order = { type: "object", properties: { order: { type: "integer", minimum: 4 } }, required: ["order"] };
    const definitions = ["find_order", "other"].map((name) => ({ name, description: "Finds.", input: order }));
    const tools = [...allTools(), ...clientTools(definitions)].filter(({ unavailable }) => unavailable === undefined);
    const asking = turn(demo, { input: says("demo: steps=2"), ports: { tools } });
    const outcome = await runTurn(asking.input, asking.ports);
    const { records } = asking;
    const place = { step: 3, call: 0, name: "find_order" };
    const asked = { part: "asked", ...place, kind: "client_tool", until: 86_400_000 } as const;
    expect(outcome).toEqual({ kind: "asks", calls: [asked] });
    expect(calledIn(records)).toEqual(["write_file", "read_file", "find_order"]);
    const answered = { part: "answered", step: 3, call: 0, answer: { kind: "output", text: "sent" } } as const;
    const again = turn(demo, { input: { ...asking.input, journal: [...records, asked, answered] }, ports: { tools } });
    const answer = text(await runTurn(again.input, again.ports));
    expect(answer).toContain('find_order returned: "sent"');
    expect(calledIn(again.records)).toEqual([]);
    expect(records).toContainEqual(
      expect.objectContaining({
        answer: expect.objectContaining({ toolCalls: [expect.objectContaining({ input: { order: 4 } })] }),
      }),
    );
  });

  it("waits for the delay in the directive, until it is aborted", async () => {
    const stop = new AbortController();
    const { input, ports } = turn(demo, { input: says("demo: delay=10000"), ports: { signal: stop.signal } });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const stopped = runTurn(input, ports);
    await vi.advanceTimersByTimeAsync(9_999);
    stop.abort();
    expect(await stopped).toEqual({ kind: "stopped" });

    const short = turn(demo, { input: says("demo: delay=60") });
    let isDone = false;
    const turned = runTurn(short.input, short.ports).finally(() => (isDone = true));
    await vi.advanceTimersByTimeAsync(59);
    expect(isDone).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await turned;
  });

  it("depends on the request only: in a later turn and at a limit", async () => {
    const history = [
      { role: "user" as const, text: "demo: steps=50" },
      { role: "assistant" as const, answer: { text: "Earlier.", toolCalls: [] } },
      { role: "user" as const, text: "And now?" },
    ];
    const later = turn(demo, { input: { history } });
    expect(text(await runTurn(later.input, later.ports))).toContain('"And now?"');
    expect(later.records).toHaveLength(0);

    const limits = { steps: 3, tokens: 1e6, seconds: 60 };
    const limited = turn(demo, { input: { ...says("demo: steps=50"), limits } });
    const outcome = await runTurn(limited.input, limited.ports);
    expect(outcome).toMatchObject({ kind: "done", finishReason: "steps", text: expect.stringContaining("steps=50") });
  });
});

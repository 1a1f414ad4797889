import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { fastClock } from "../support/fast-clock.ts";
import { itemsOf, observedStores, streamedRun } from "../support/streamed-run.ts";

/** Bytes of an item: names and values. */
function sizeOf(item: object): number {
  const sizes = Object.entries(item).map(([name, value]: [string, unknown]) => {
    const bytes = typeof value === "object" && value ? 3 + sizeOf(value) : Buffer.byteLength(String(value));
    return name.length + 1 + bytes;
  });
  return sizes.reduce((sum, size) => sum + size);
}

describe("a writer", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const place = { turn: 1, step: 2 };
  const answering = { kind: "model_call" as const, ...place, tools: [], since: 0 };

  test("stores nothing while nobody watches, and then the text so far at once", async () => {
    const { stores, calls } = observedStores();
    const writer = stores.texts.open("r", place, true);
    writer.write("Once upon", "");
    await vi.advanceTimersByTimeAsync(60_000);
    stores.texts.seen("r", Date.now() + 3_600_000); // of a reader whose clock is wrong
    expect(calls.texts).toEqual([]);
    stores.texts.seen("r", Date.now() + 5_000);
    expect(calls.texts).toMatchObject([{ pk: "RUN#r", ...place, from: 0, text: "Once upon" }]);
    expect(calls.texts[0]?.["expiresAt"]).toBe(Math.ceil(Date.now() / 1_000) + 86_400);
    await vi.advanceTimersByTimeAsync(6_000);
    writer.write("Once upon a time", "");
    await vi.advanceTimersByTimeAsync(6_000);
    expect(calls.texts).toHaveLength(1);
    writer.end();
  });

  test("stores the text of a fast model once a second, with its last characters in the end", async () => {
    const { stores, calls } = observedStores();
    stores.texts.seen("r", Date.now() + 60_000);
    const writer = stores.texts.open("r", place, true);
    let text = "";
    for (let index = 0; index < 1_000; index++) {
      writer.write((text += `${index} `), "");
      await vi.advanceTimersByTimeAsync(10);
    }
    expect(calls.texts.length).toBeGreaterThan(8);
    expect(calls.texts.length).toBeLessThanOrEqual(11); // of 10 s
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await stores.texts.of("r", answering)).toEqual({ ...place, from: 0, text });
    writer.write(`${text}end`, "");
    writer.end();
    const stored = calls.texts.length;
    await vi.advanceTimersByTimeAsync(60_000);
    writer.write(`${text}end.`, "");
    expect(calls.texts).toHaveLength(stored);
  });

  test.each([
    ["a", 10_000],
    ["é", 5_000],
    ["語", 5_000],
    ["🦊", 5_000],
  ])("keeps the end of a text of %s that fits four write units", async (character, length) => {
    const { stores, calls } = observedStores();
    stores.texts.seen("r", Date.now() + 60_000);
    const writer = stores.texts.open("r", place, true);
    const whole = `<think>Let me see.</think>b${character.repeat(length)}`;
    writer.write(`${whole}\uD83E`, ""); // the first half of a character
    const item = calls.texts[0] as { from: number; text: string };
    const bytes = sizeOf(item);
    expect(bytes).toBeLessThanOrEqual(4_096);
    expect(bytes).toBeGreaterThan(3_900);
    const answer = whole.slice(whole.indexOf("b"));
    expect(answer.slice(item.from)).toBe(item.text);
    writer.end();
  });

  test("keeps the end of the thinking as far as it fits besides, or nothing of it", async () => {
    const { stores, calls } = observedStores();
    stores.texts.seen("r", Date.now() + 60_000);
    const writer = stores.texts.open("r", place, true);
    const thinking = "é".repeat(3_000);
    writer.write("", thinking);
    expect(calls.texts[0]).toMatchObject({ from: 0, text: "", thinking: { from: 1_070, text: thinking.slice(1_070) } });
    expect(sizeOf(calls.texts[0] ?? {})).toBeLessThanOrEqual(4_096);
    await vi.advanceTimersByTimeAsync(2_000);
    writer.write("a".repeat(3_000), thinking);
    expect(calls.texts[1]).toMatchObject({ from: 0, thinking: { from: 2_570 } });
    expect(sizeOf(calls.texts[1] ?? {})).toBeLessThanOrEqual(4_096);
    await vi.advanceTimersByTimeAsync(0);
    expect(await stores.texts.of("r", answering)).toMatchObject({ ...place, thinking: { from: 2_570 } });
    writer.end();
    const silent = stores.texts.open("r", place, false);
    await vi.advanceTimersByTimeAsync(2_000);
    silent.write("", thinking);
    silent.write("<think>Hm.", thinking);
    expect(calls.texts).toHaveLength(2);
    silent.write("<think>Hm.</think>a", thinking);
    expect(calls.texts[2]).toMatchObject({ text: "a" });
    expect(calls.texts[2]).not.toHaveProperty("thinking");
    silent.end();
  });

  test("removes a text from the stream when a closing tag marks it as thinking", async () => {
    const { stores, calls } = observedStores();
    stores.texts.seen("r", Date.now() + 60_000);
    const writer = stores.texts.open("r", place, false);
    writer.write("Let me see.", "");
    await vi.advanceTimersByTimeAsync(2_000);
    writer.write("Let me see.</think>", "");
    await vi.advanceTimersByTimeAsync(2_000);
    writer.write("Let me see.</think>\n\n", "");
    expect(calls.texts).toMatchObject([{ text: "Let me see." }, { text: "" }]);
    writer.end();
  });

  test("has nothing of a call that broke off when the next one is in progress", async () => {
    const { stores } = observedStores();
    stores.texts.seen("r", Date.now() + 60_000);
    const writer = stores.texts.open("r", place, true);
    writer.write("A first attempt", "");
    await vi.advanceTimersByTimeAsync(5_000);
    writer.end();
    expect(await stores.texts.of("r", answering)).toMatchObject({ text: "A first attempt" });
    const repeated = { ...answering, since: Date.now() };
    expect(await stores.texts.of("r", repeated)).toBeUndefined();
    const next = stores.texts.open("r", place, true);
    next.write("Another one", "");
    await vi.advanceTimersByTimeAsync(0);
    expect(await stores.texts.of("r", repeated)).toMatchObject({ text: "Another one" });
    next.end();
  });

  test("does not wait for a slow write, and drops one that fails", async () => {
    const { stores, calls, before } = observedStores();
    stores.texts.seen("r", Date.now() + 60_000);
    const { promise: response, reject: fail } = Promise.withResolvers<void>();
    before.text = () => response;
    const writer = stores.texts.open("r", place, true);
    writer.write("a", "");
    writer.write("ab", "");
    await vi.advanceTimersByTimeAsync(10_000);
    expect(calls.texts.map(({ text }) => text)).toEqual(["a"]);
    before.text = async () => {};
    writer.write("abc", "");
    fail(new Error("throttled"));
    await vi.advanceTimersByTimeAsync(0);
    expect(calls.texts.map(({ text }) => text)).toEqual(["a", "abc"]);
    writer.end();
  });
});

describe("a stream of events on Lambda", () => {
  test("has the text while it is written, and then the recorded answer", async () => {
    const { work, nextModelCall, stream, calls, stores, id, call } = await streamedRun();
    expect(await stream()).toMatchObject({ deltas: [], retries: [2_000, 1_000] });
    const turn = work();
    const first = await nextModelCall();
    first.writes("<think>Hm.");
    await expect.poll(stream).toMatchObject({ deltas: [], thinking: [{ turn: 1, step: 1, from: 0, text: "Hm." }] });
    first.writes("<think>Hm.</think>Once");
    await expect.poll(stream).toMatchObject({
      deltas: [{ turn: 1, step: 1, from: 0, text: "Once" }],
      retries: [2_000, 1_000],
    });
    first.writes("<think>Hm.</think>Once upon a time");
    await expect.poll(stream).toMatchObject({
      deltas: [{ turn: 1, step: 1, from: 0, text: "Once upon a time" }],
    });
    first.answers({ text: "Once upon a time", toolCalls: [{ id: "c", name: "list_files", input: {} }] });
    const second = await nextModelCall();
    // The text of the first step is still stored.
    expect(await itemsOf(stores, id)).toContain("TEXT");
    expect((await stream()).deltas).toEqual([]);
    expect((await stores.runs.load(id))?.journal).toHaveLength(2);
    second.writes("The end.");
    await expect.poll(stream).toMatchObject({ deltas: [{ turn: 1, step: 2, text: "The end." }] });
    second.answers({ text: "The end." });
    expect(await turn).toEqual({ done: true, turn: 1 });
    const marks = calls.marks.length;
    const ended = await stream();
    expect(ended).toMatchObject({ deltas: [], ends: [{ status: "finished" }], retries: [2_000] });
    expect(ended.events.map(({ type }) => type)).toEqual([
      "input",
      "model_call",
      "tool_result",
      "model_call",
      "output",
    ]);
    expect(marks).toBe(1); // one in 15 s, of many reads
    expect(calls.marks).toHaveLength(marks);
    expect((await call("DELETE", `/runs/${id}`)).status).toBe(200);
    expect(await itemsOf(stores, id)).toEqual(["HEAD"]);
  });

  test("is not needed: a run that is read in other ways is not watched", async () => {
    const { work, nextModelCall, call, calls, id, stores } = await streamedRun();
    const turn = work();
    const model = await nextModelCall();
    model.writes("Once");
    for (const path of [`/runs/${id}`, `/runs/${id}/events`, "/runs"])
      expect((await call("GET", path)).status).toBe(200);
    model.writes("Once upon");
    model.answers({ text: "Once upon" });
    await turn;
    expect(calls).toEqual({ marks: [], texts: [] });
    expect(await itemsOf(stores, id)).not.toContain("TEXT");
  });

  test("has the text when it is opened while the model writes", async () => {
    const { work, nextModelCall, stream, calls } = await streamedRun();
    using _clock = fastClock();
    const turn = work();
    const model = await nextModelCall();
    model.writes("Once");
    expect((await stream()).deltas).toEqual([]);
    await expect.poll(stream).toMatchObject({ deltas: [{ from: 0, text: "Once" }] });
    expect(calls.texts).toHaveLength(1);
    model.answers({ text: "Once" });
    await turn;
  });

  test("is complete when the run cannot be marked, which is tried again after 15 s", async () => {
    const { work, nextModelCall, stream, before, calls } = await streamedRun();
    before.mark = async () => {
      throw Object.assign(new Error("no"), { name: "AccessDeniedException" });
    };
    expect((await stream()).events).toHaveLength(1);
    expect((await stream()).events).toHaveLength(1);
    expect(calls.marks).toHaveLength(1);
    const turn = work();
    const model = await nextModelCall();
    model.writes("Once");
    model.answers({ text: "Once" });
    await turn;
    expect(calls.texts).toEqual([]);
    expect(await stream()).toMatchObject({ deltas: [], ends: [{ status: "finished" }] });
  });

  test("that stays open has what is new of the text, and names what is missing of it", async () => {
    const { work, nextModelCall, stream, calls } = await streamedRun({ streamInterval: 20 });
    const streaming = stream(); // until the run has ended
    await expect.poll(() => calls.marks.length).toBe(1);
    const turn = work();
    const model = await nextModelCall();
    const [first, second, third] = ["a".repeat(3_000), "b".repeat(2_000), "c".repeat(9_000)];
    for (const [index, text] of [first, first + second, first + second + third].entries()) {
      model.writes(text);
      await expect.poll(() => calls.texts.length).toBe(index + 1);
      await new Promise((resolve) => setTimeout(resolve, 100)); // some reads
    }
    model.answers({ text: first + second + third });
    await turn;
    const place = { turn: 1, step: 1 };
    expect((await streaming).deltas).toEqual([
      { ...place, from: 0, text: first },
      { ...place, from: 3_000, text: second },
      { ...place, from: 14_000 - 3_900, text: third.slice(-3_900) },
    ]);
  });

  test("has the recorded answer when the text could not be stored, for which the turn does not wait", async () => {
    const { work, nextModelCall, stream, before, calls } = await streamedRun();
    await stream();
    before.text = () => new Promise(() => {}); // without a response
    const turn = work();
    const model = await nextModelCall();
    model.writes("Once");
    model.answers({ text: "Once" });
    expect(await turn).toEqual({ done: true, turn: 1 });
    expect(calls.texts).toHaveLength(1);
    expect(await stream()).toMatchObject({ deltas: [], ends: [{ status: "finished" }] });
  });
});

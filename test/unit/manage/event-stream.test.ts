import { afterEach, expect, test, vi } from "vitest";
import { StoreUnavailable } from "../../../src/errors.ts";
import { streamResponse } from "../../../src/http/rest/event-stream.ts";
import { wireDetail } from "../../../src/manage/wire/run.ts";
import type { RunUpdate } from "../../../src/runs/read/watch-run.ts";

afterEach(() => vi.useRealTimers());

const { signal } = new AbortController();
const context = { requestId: "r", runId: "run", wireRun: wireDetail, answererOf: async () => null };

/** The texts of a stream of these updates. Before each, the clock advances by `milliseconds`. */
async function textsOf(updates: RunUpdate[], milliseconds: number, isOpen = true): Promise<string[]> {
  vi.useFakeTimers({ toFake: ["Date"] });
  async function* watch(): AsyncGenerator<RunUpdate> {
    for (const update of updates) {
      vi.setSystemTime(Date.now() + milliseconds);
      yield update;
    }
  }
  return collect(streamResponse(watch, { ...context, isOpen }));
}

async function collect({ body }: ReturnType<typeof streamResponse>): Promise<string[]> {
  if (typeof body !== "function") throw new Error("not a stream");
  const texts: string[] = [];
  for await (const text of body(signal)) texts.push(String(text));
  return texts;
}

const input = (sequence: number, text = "x"): RunUpdate => ({
  events: [{ turn: 1, role: "input_to_agent", text, sequence, at: 0 }],
});

test("a silent stream sends a comment every 15 seconds", async () => {
  const comment = ": nothing new\n\n";
  const [retry, ...others] = await textsOf(Array<RunUpdate>(10).fill("unchanged"), 5_000);
  expect([retry, others]).toEqual(["retry: 2000\n\n", [comment, comment, comment]]);
  const [, ...texts] = await textsOf(["unchanged", "unchanged", input(1), "unchanged", "unchanged"], 5_000);
  expect(texts).toEqual([expect.stringMatching(/^id: 1\nevent: event\ndata: \{.*\}\n\n$/)]);
});

test("a stream ends after five minutes at most, so that its token is checked again, and not all at once", async () => {
  const updates = Array.from({ length: 100 }, (_, index) => input(index + 1));
  const lengths = new Set<number>();
  for (let stream = 0; stream < 20; stream++) {
    const texts = await textsOf(updates, 10_000);
    expect([texts[0], texts.at(-1)]).toEqual(["retry: 2000\n\n", "retry: 100\n\n"]);
    lengths.add(texts.length);
  }
  expect(Math.max(...lengths)).toBeLessThanOrEqual(32);
  expect(Math.min(...lengths)).toBeGreaterThanOrEqual(29);
  expect(lengths.size).toBeGreaterThan(1);
});

test("a stream that would be one too many ends at once, and its client tries again later", async () => {
  const full = streamResponse(failing, { ...context, isOpen: true, count: () => undefined });
  expect(await collect(full)).toEqual(["retry: 5000\n\n"]);
});

test("a stream that is collected ends when it is long; one that stays open does not", async () => {
  const updates = Array.from({ length: 10 }, (_, index) => input(index + 1, "x".repeat(500_000)));
  expect(await textsOf(updates, 0, false)).toHaveLength(4);
  expect(await textsOf(updates, 0)).toHaveLength(11);
});

test("a collected stream is bounded in bytes, and cuts an event that is longer than a stream", async () => {
  const kana = Array.from({ length: 3 }, (_, index) => input(index + 1, "\u3042".repeat(300_000)));
  expect(await textsOf(kana, 0, false)).toHaveLength(3);
  const long = "\u3042".repeat(5_000_000);
  const [, text = ""] = await textsOf([input(1, long)], 0, false);
  expect(Buffer.byteLength(text)).toBeLessThan(1_000_000);
  expect(JSON.parse(text.split("data: ")[1] ?? "")).toMatchObject({ cut: { text: long.length } });
});

async function* failing(): AsyncGenerator<RunUpdate> {
  yield input(1);
  throw new StoreUnavailable("away");
}

test("a stream whose store is unavailable ends, and its client connects again", async () => {
  expect(await collect(streamResponse(failing, { ...context, isOpen: true }))).toHaveLength(2);
});

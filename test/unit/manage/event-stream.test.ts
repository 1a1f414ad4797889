import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, expect, test, vi } from "vitest";
import { StoreUnavailable } from "../../../src/errors.ts";
import { streamResponse } from "../../../src/http/rest/event-stream.ts";
import { wireDetail } from "../../../src/manage/wire/run.ts";
import { openLocalPlatform } from "../../../src/platform/local/index.ts";
import { runDescriber } from "../../../src/runs/read/describe-runs.ts";
import type { Runs } from "../../../src/runs/ports.ts";
import type { RunUpdate } from "../../../src/runs/read/watch-run.ts";
import { watchRun } from "../../../src/runs/read/watch-run.ts";

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

test("events of an earlier version come first, and the last of them has the id 0", async () => {
  const fixture = new URL("../../platform/data-dir-v2/", import.meta.url);
  const dataDir = mkdtempSync(join(tmpdir(), "stream-"));
  cpSync(new URL("workspaces", fixture), join(dataDir, "workspaces"), { recursive: true });
  const database = new DatabaseSync(join(dataDir, "runs.sqlite"));
  database.exec(readFileSync(new URL("runs.sql", fixture), "utf8"));
  database.close();
  const platform = openLocalPlatform({ dataDir });
  const describer = runDescriber({ ...platform, now: Date.now });
  const runs: Runs = platform.runs;
  const deps = { ...platform, describer, now: Date.now };
  const idsOf = async (id: string, after?: number): Promise<(string | undefined)[]> => {
    const options = { signal, ...(after !== undefined && { after }) };
    const texts = await collect(streamResponse(() => watchRun(deps, id, options), { ...context, isOpen: true }));
    const events = texts.filter((text) => text.includes("event: event\n"));
    return events.map((text) => /^id: (\d+)\n/.exec(text)?.[1]);
  };
  const [killed, finished] = ["041a37be-b797-4806-b9d6-fc99a540ab21", "415e58ca-81fd-458b-bb44-0b10ce11f51e"] as const;
  const ids = await idsOf(finished);
  expect(ids).toEqual([...Array<undefined>(5).fill(undefined), "0"]);
  expect(await idsOf(finished, 0)).toEqual([]);

  const described = await Promise.all(
    [killed, finished].map(async (id) =>
      describer.describe((await runs.head(id)) ?? (await Promise.reject(new Error(id)))),
    ),
  );
  expect(described).toMatchObject([
    { state: "running", activity: { kind: "model_call", turn: 1 }, inputExcerpt: expect.any(String) as string },
    { state: "finished", inputExcerpt: expect.any(String) as string },
  ]);
  expect(described[1]?.finishReason).toBeUndefined();
  const [run] = described.map((each) => each.run);
  if (!run) throw new Error("no run");
  expect(await describer.detail(run)).toMatchObject({ turnUsage: { steps: 2 }, limits: { steps: expect.any(Number) } });
  platform.close();
  rmSync(dataDir, { recursive: true });
});

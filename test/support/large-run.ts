import { randomUUID } from "node:crypto";
import { seedStarterAgent } from "../../src/accounts/seed.ts";
import type { JournalEntry } from "../../src/agent/turn/journal.ts";
import { noUsage } from "../../src/agent/turn/turn-limits.ts";
import { openLocalPlatform } from "../../src/platform/local/open-platform.ts";
import type { Runs } from "../../src/runs/ports.ts";
import type { Run, RunJournalEntry, Stamped } from "../../src/runs/run-types.ts";

/** A finished run with many records in a data directory. */
export interface LargeRun {
  id: string;
  records: number;
  /** Step and tool call (from 1), as in the `at` of a link, of a result of 200 KB. */
  largeResult: string;
  /** The last characters of that result, which occur nowhere else. */
  largeResultEnd: string;
}

const turns = 5;
const [largeTurn, largeStep] = [3, 50];
const largeResultEnd = "END-OF-THE-LARGE-RESULT";
const largeText = `${"A line of the large result.\n".repeat(7_300)}${largeResultEnd}`;
const tools = ["run_javascript", "read_file", "write_file", "search_files"];
const firstAt = Date.UTC(2026, 0, 5, 9);

/**
 * Writes a run of the starter agent into a data directory that no service uses: model calls with one to four parallel tool
 * calls, failed calls, waits between attempts and turns, texts of all lengths. `records`: a multiple of 5, at least 1,000.
 */
export async function addLargeRun(dataDir: string, records = 5_000): Promise<LargeRun> {
  const { accounts, runs, close } = openLocalPlatform({ dataDir });
  try {
    const { agent } = await seedStarterAgent(accounts, { newKey: false });
    const id = randomUUID();
    const named = { id, name: `Large run of ${records} records` };
    const fields = { ...named, agentId: agent.id, organizationId: agent.organizationId, createdAt: firstAt };
    await writeTurns(runs, { ...fields, status: "running", turn: 1, updatedAt: firstAt, sequence: 1 }, records / turns);
    return { id, records, largeResult: `${largeTurn}.${largeStep}.1`, largeResultEnd };
  } finally {
    close();
  }
}

async function writeTurns(runs: Runs, run: Run, recordsPerTurn: number): Promise<void> {
  let [sequence, at] = [0, firstAt];
  for (let turn = 1; turn <= turns; turn++) {
    const input = {
      turn,
      role: "input_to_agent" as const,
      text: `Work through part ${turn}.`,
      sequence: ++sequence,
      at,
    };
    const before = { runId: run.id, expect: { status: "finished" as const, turn: turn - 1 } };
    const start = { ...before, set: { status: "running" as const, turn, updatedAt: at }, messages: [input] };
    expectWritten(turn === 1 ? (await runs.create(run, [input])) === "created" : await runs.change(start));

    const entries: Stamped<RunJournalEntry>[] = [];
    for (const { entry, milliseconds } of entriesOf(turn, recordsPerTurn - 2)) {
      at += milliseconds;
      entries.push({ turn, ...entry, sequence: ++sequence, at });
    }
    const expect = { status: "running" as const, turn };
    for (let from = 0; from < entries.length; from += 100) {
      const used = { ...noUsage, steps: 25, inputTokens: 250_000, outputTokens: 5_000, dollars: 0.025 };
      expectWritten(await runs.change({ runId: run.id, expect, entries: entries.slice(from, from + 100), used }));
    }
    const output = { turn, role: "output_from_agent" as const, text: outputOf(turn), sequence: ++sequence, at };
    const set = { status: "finished" as const, turn, updatedAt: at };
    expectWritten(await runs.change({ runId: run.id, expect, set, messages: [output] }));
    at += 3_600_000; // until the next input
  }
}

function expectWritten(written: boolean): void {
  if (!written) throw new Error("the store rejected a record of the large run");
}

const outputOf = (turn: number): string => `Part ${turn} is **done**.\n\n${"- All of it.\n".repeat(200)}`;

/** An entry, and the milliseconds between the one before and it. */
interface TimedEntry {
  entry: JournalEntry;
  milliseconds: number;
}

/** Exactly `count` entries of a turn. A step has at most six, and the last one is the final answer. */
function entriesOf(turn: number, count: number): TimedEntry[] {
  const entries: TimedEntry[] = [];
  for (let step = 1; entries.length < count; step++) {
    const left = count - entries.length;
    if (left === 1) entries.push(answer(step, 0, outputOf(turn)));
    else if (left <= 8) entries.push(...stepOf(turn, step, left - 2));
    else entries.push(...(step % 40 === 0 ? [failure(step)] : []), ...stepOf(turn, step, (step % 4) + 1));
  }
  return entries;
}

function stepOf(turn: number, step: number, calls: number): TimedEntry[] {
  const text = `What step ${step} does. ${"More words. ".repeat(step % 20)}`;
  return [answer(step, calls, text), ...Array.from({ length: calls }, (_, call) => result(turn, step, call))];
}

function answer(step: number, calls: number, text: string): TimedEntry {
  const toolCalls = Array.from({ length: calls }, (_, call) => ({
    id: `${step}-${call}`,
    name: toolOf(call),
    input: call === 0 ? { code: `// part ${step}\n${"x += 1;\n".repeat(50)}` } : { name: `file-${step}.csv` },
  }));
  const usage = { inputTokens: 9_000 + step, outputTokens: 200, cachedInputTokens: 4_000 };
  const milliseconds = 900 + ((step * 37) % 2_000);
  const finishReason = calls > 0 ? ("tool-calls" as const) : ("stop" as const);
  const recorded = { text, toolCalls, finishReason, usage };
  const entry = { part: "answer" as const, step, answer: recorded, milliseconds, model: "m", dollars: 0.001 };
  return { entry, milliseconds };
}

function result(turn: number, step: number, call: number): TimedEntry {
  const isLarge = turn === largeTurn && step === largeStep && call === 0;
  const text = isLarge ? largeText : "A line.\n".repeat((step * 7) % 400);
  const failed = (step * 7 + call) % 23 === 0 && { error: true as const };
  const outcome = { callId: `${step}-${call}`, name: toolOf(call), text, ...failed };
  const entry = { part: "result" as const, step, call, result: outcome, milliseconds: 20 * (call + 1) };
  return { entry, milliseconds: 20 };
}

function failure(step: number): TimedEntry {
  const reason = { category: "model_unavailable" as const, title: "Provider busy (429)" };
  const entry = { part: "failed" as const, step, failure: reason, attempt: 1, milliseconds: 200, waitMs: 3_000 };
  return { entry, milliseconds: 200 };
}

const toolOf = (call: number): string => tools[call % tools.length] ?? "";

import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { noUsage } from "../src/agent/turn/limits.ts";
import type { Model } from "../src/agent/model.ts";
import { builtInTools } from "../src/agent/tools/index.ts";
import { runTurn } from "../src/agent/turn/run-turn.ts";
import { filesOfTurn } from "../src/runs/files/workspace.ts";
import type { Run, RunJournalEntry } from "../src/runs/types.ts";
import { finishTurn, journalWriter } from "../src/runs/turn-writes.ts";
import { type LocalPlatform, openLocalPlatform } from "../src/platform/local/index.ts";
import { alternate } from "./rounds.ts";
import { newDataDir } from "./servers.ts";
import type { Row } from "./table.ts";

const steps = 12;

/** A whole turn with a model that answers at once. Floor: a bare loop that writes the same journal entries. */
export async function measureSteps(rounds: number): Promise<Row[]> {
  const dataDir = newDataDir();
  const platform = openLocalPlatform({ dataDir });
  platform.database.preallocateLog(); // as the server does
  const bare = openBareLoop(dataDir);
  const entries = await runScriptedTurn(platform);
  let turns = 1;
  const times = await alternate(
    { rounds, calls: 20 },
    () => bare.run(entries),
    () => {
      turns++;
      return runScriptedTurn(platform);
    },
  );
  platform.close();
  bare.close();
  return [
    {
      name: `${steps}-step turn, per record`,
      unit: "ms",
      floor: times.floor / entries.length,
      service: times.service / entries.length,
      target: { timesFloor: 1.5 },
    },
    {
      name: `${steps}-step turn, bytes per step`,
      unit: "bytes",
      floor: databaseSize(join(dataDir, "bare.sqlite")) / (turns - 1) / steps,
      service: databaseSize(join(dataDir, "runs.sqlite")) / turns / steps,
    },
  ];
}

/** Bytes on disk, with the write-ahead log merged. */
function databaseSize(file: string): number {
  const db = new DatabaseSync(file);
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
  return statSync(file).size;
}

/** Calls `list_files` in every step but the last. */
function scripted(): Model {
  let calls = 0;
  return async () => {
    const last = ++calls === steps;
    return {
      answer: {
        text: last ? "All steps are done." : "",
        toolCalls: last ? [] : [{ id: `call-${calls}`, name: "list_files", input: {} }],
        finishReason: last ? "stop" : "tool-calls",
        usage: { inputTokens: 100, outputTokens: 10 },
      },
    };
  };
}

/** Advances a new run to its end, as the workflow does. Resolves with its journal. */
async function runScriptedTurn({ runs, workspace }: LocalPlatform): Promise<RunJournalEntry[]> {
  const now = Date.now();
  const runId = randomUUID();
  const ids = { id: runId, agentId: "agent", organizationId: "organization", name: "bench" };
  const run: Run = { ...ids, status: "running", turn: 1, createdAt: now, updatedAt: now, sequence: 1 };
  const input = { turn: 1, role: "input_to_agent", text: "Go.", sequence: 1, at: now } as const;
  await runs.create(run, [input]);
  const claim = await runs.claim({ runId, owner: "bench", now, until: now + 60_000 });
  const worked = {
    runId,
    turn: 1,
    fencingToken: claim?.fencingToken ?? 0,
    elapsed: () => Date.now() - now,
    createdAt: now,
  };
  const claimed = { ...worked, sequence: 1 };
  const record = journalWriter({ runs, now: Date.now }, claimed);
  const recorded: RunJournalEntry[] = [];
  const { signal } = new AbortController();
  const state = { run, transcript: [], journal: [], queue: [] };
  const files = filesOfTurn(workspace, state, { keep: 20, signal });
  const outcome = await runTurn(
    {
      turn: 1,
      instructions: "Work.",
      history: [{ role: "user", text: "Go." }],
      journal: [],
      limits: { steps, tokens: 1_000_000, seconds: 3_600 },
      usedBefore: noUsage,
      startedAt: now,
      deadline: Infinity,
      answerMs: 86_400_000,
      maxRetryWaitMs: 0,
    },
    {
      model: scripted(),
      tools: builtInTools({ tools: ["list_files"] }, {}),
      files,
      now: Date.now,
      date: Date.now,
      signal,
      record(part) {
        recorded.push({ turn: 1, ...part });
        return record({ turn: 1, ...part });
      },
      emit() {},
    },
  );
  if (outcome.kind !== "done") throw new Error(`the scripted turn ended as ${outcome.kind}`);
  await finishTurn({ runs, now: Date.now }, claimed, { ...outcome, queue: [] });
  return [...recorded, { turn: 1, ...outcome.last }];
}

/** Writes the same journal with bare node:sqlite, each entry on disk before the next. */
function openBareLoop(dataDir: string): { run: (entries: RunJournalEntry[]) => Promise<void>; close: () => void } {
  const db = new DatabaseSync(join(dataDir, "bare.sqlite"));
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE runs (id INTEGER PRIMARY KEY, status TEXT, output TEXT) STRICT;
    CREATE TABLE steps (run INTEGER, place INTEGER, body TEXT, PRIMARY KEY (run, place)) STRICT, WITHOUT ROWID`);
  const begin = db.prepare("BEGIN IMMEDIATE");
  const commit = db.prepare("COMMIT");
  const insertRun = db.prepare("INSERT INTO runs VALUES (NULL, 'running', NULL)");
  const insertStep = db.prepare("INSERT INTO steps VALUES (?, ?, ?)");
  const finish = db.prepare("UPDATE runs SET status = 'finished', output = ? WHERE id = ?");
  const write = (operation: () => unknown): Promise<unknown> =>
    new Promise((resolve) => {
      setImmediate(() => {
        begin.run();
        const value = operation();
        commit.run();
        resolve(value);
      });
    });
  async function run(entries: RunJournalEntry[]): Promise<void> {
    const { lastInsertRowid: runId } = (await write(() => insertRun.run())) as { lastInsertRowid: number };
    for (const [place, entry] of entries.entries()) {
      const last = place === entries.length - 1;
      await write(() => {
        insertStep.run(runId, place, JSON.stringify(entry));
        if (last) finish.run("All steps are done.", runId);
      });
    }
  }
  return { run, close: () => db.close() };
}

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { noUsage } from "../src/agent/turn/limits.ts";
import type { Model } from "../src/agent/model.ts";
import { builtInTools } from "../src/agent/tools/index.ts";
import { runTurn } from "../src/agent/turn/run-turn.ts";
import { filesOf } from "../src/runs/uploads.ts";
import type { RunJournalEntry } from "../src/runs/types.ts";
import { finishTurn, journalWriter } from "../src/runs/turn-writes.ts";
import { type LocalPlatform, openLocalPlatform } from "../src/platform/local/index.ts";
import { newRun } from "./new-run.ts";
import { inTurns } from "./rounds.ts";
import { newDataDir } from "./servers.ts";
import type { Row } from "./table.ts";

const steps = 12;

/** What the engine adds to a step; the floor is a bare loop that writes the same records. */
export async function measureSteps(rounds: number): Promise<Row[]> {
  const dataDir = newDataDir();
  const stores = openLocalPlatform({ dataDir });
  const bare = bareLoop(dataDir);
  const records = await wholeTurn(stores);
  const turns = await inTurns(
    { rounds, calls: 20 },
    () => bare(records),
    () => wholeTurn(stores),
  );
  stores.close();
  return [
    {
      name: `${steps}-step turn, per record`,
      unit: "ms",
      floor: turns.floor / records.length,
      service: turns.service / records.length,
      target: { timesFloor: 1.5 },
    },
  ];
}

/** Lists the files in every step but the last. */
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

/** A turn as `advance` works on it, with a model that answers at once. Resolves with what was recorded. */
async function wholeTurn({ runs, workspace }: LocalPlatform): Promise<RunJournalEntry[]> {
  const run = newRun({ id: "agent", organizationId: "organization" });
  const runId = run.id;
  await runs.create(run, [{ turn: 1, role: "input_to_agent", text: "Go." }]);
  const now = Date.now();
  const claim = await runs.claim({ runId, owner: "bench", now, until: now + 60_000 });
  const worked = { runId, turn: 1, fencingToken: claim?.fencingToken ?? 0, startedAt: now };
  const record = journalWriter({ runs }, worked);
  const recorded: RunJournalEntry[] = [];
  const { signal } = new AbortController();
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
      maxRetryWaitMs: 0,
    },
    {
      model: scripted(),
      tools: builtInTools({ tools: ["list_files"] }, { secretOf: async () => undefined }),
      files: filesOf(workspace, runId, signal),
      now: Date.now,
      signal,
      record(part) {
        recorded.push({ turn: 1, ...part });
        return record({ turn: 1, ...part });
      },
      emit() {},
    },
  );
  if (outcome.kind !== "done") throw new Error(`the scripted turn ended as ${outcome.kind}`);
  await finishTurn({ runs, now: Date.now }, worked, { ...outcome, queue: [] });
  return [...recorded, { turn: 1, ...outcome.last }];
}

/** The same records and texts by a bare loop over node:sqlite, each on disk before the next. */
function bareLoop(dataDir: string): (records: RunJournalEntry[]) => Promise<void> {
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
  return async (records) => {
    const { lastInsertRowid: run } = (await write(() => insertRun.run())) as { lastInsertRowid: number };
    for (const [place, record] of records.entries()) {
      const last = place === records.length - 1;
      await write(() => {
        insertStep.run(run, place, JSON.stringify(record));
        if (last) finish.run("All steps are done.", run);
      });
    }
  };
}

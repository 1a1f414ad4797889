import { noUsage, addUsage, type Usage } from "../../agent/turn/limits.ts";
import type {
  QueuedInput,
  Run,
  RunChange,
  RunJournalEntry,
  Summary,
  TranscriptMessage,
  TurnMessage,
} from "../../runs/types.ts";
import type { Runs } from "../../runs/ports.ts";
import type { Database } from "./sqlite.ts";
import { memoryLeases } from "./leases.ts";

/** A row of `runs` as an array. Polls read rows as arrays, because objects take 1.7 times as long. */
type RunRow = [
  seq: number,
  id: string,
  agentId: string,
  organizationId: string,
  name: string,
  status: Run["status"],
  turn: number,
  createdAt: number,
  updatedAt: number,
  failure: string | null,
  queued: number,
  used: string | null,
];

/** Runs in the database, leases in memory. */
export function localRuns({ db, read, write, refusesWrites }: Database): Runs {
  const leases = memoryLeases();
  const insertRun = db.prepare("INSERT INTO runs VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, NULL, 0, NULL)");
  const insertMessage = db.prepare("INSERT OR IGNORE INTO messages VALUES (?, ?, ?, ?)");
  const insertEntry = db.prepare("INSERT OR IGNORE INTO steps VALUES (?, ?, ?, ?, ?, ?)");
  const insertQueued = db.prepare("INSERT OR IGNORE INTO queue VALUES (?, ?, ?)");
  const deleteQueued = db.prepare("DELETE FROM queue WHERE run = ? AND turn = ?");
  const dropQueue = db.prepare("DELETE FROM queue WHERE run = ?");
  const putSummary = db.prepare("INSERT OR REPLACE INTO summaries VALUES (?, ?, ?)");
  const dropSummary = db.prepare("DELETE FROM summaries WHERE run = ?");
  const expected = db.prepare("SELECT seq, queued, used FROM runs WHERE id = ? AND status = ? AND turn = ?");
  const updateRun = db.prepare(
    "UPDATE runs SET status = ?, turn = ?, updated_at = ?, failure = ?, queued = ?, used = ? WHERE seq = ?",
  );
  const updateCounts = db.prepare("UPDATE runs SET queued = ?, used = ? WHERE seq = ?");
  const terminated = db.prepare("SELECT seq FROM runs WHERE id = ? AND status = 'terminated'");
  const eraseHead = db.prepare("UPDATE runs SET name = '', failure = NULL, queued = 0 WHERE seq = ?");
  const erasures = ["messages", "steps", "queue", "summaries"].map((of) =>
    db.prepare(`DELETE FROM ${of} WHERE run = ?`),
  );
  const findRun = db.prepare("SELECT * FROM runs WHERE id = ?");
  const transcriptOf = db.prepare("SELECT role, text FROM messages WHERE run = ? ORDER BY turn, role");
  const turnEntriesOf = db.prepare("SELECT body FROM steps WHERE run = ? AND turn = ? ORDER BY step, part, call");
  const entriesOf = db.prepare(
    "SELECT body FROM steps WHERE run = (SELECT seq FROM runs WHERE id = ?) ORDER BY turn, step, part, call",
  );
  const queueOf = db.prepare("SELECT turn, text FROM queue WHERE run = ? ORDER BY turn");
  const summaryOf = db.prepare("SELECT through_turn, text FROM summaries WHERE run = ?");
  const runsOfAgent = db.prepare("SELECT * FROM runs WHERE agent_id = ? ORDER BY created_at DESC, id LIMIT ?");
  for (const statement of [expected, findRun, transcriptOf, runsOfAgent]) statement.setReturnArrays(true);
  const running = db.prepare("SELECT id, turn, updated_at FROM runs WHERE status = 'running'");
  const statusOf = db.prepare("SELECT status FROM runs WHERE id = ?");
  const isRunning = db.prepare("SELECT turn FROM runs WHERE id = ? AND status = 'running'");

  /** False: one of them already exists. */
  function insert(seq: number | bigint, messages: TurnMessage[], entries: RunJournalEntry[]): boolean {
    return (
      messages.every(({ turn, role, text }) => insertMessage.run(seq, turn, role, text).changes === 1) &&
      entries.every((entry) => {
        const { turn, step, part } = entry;
        const call = "call" in entry ? entry.call : 0;
        return insertEntry.run(seq, turn, step, part, call, JSON.stringify(entry)).changes === 1;
      })
    );
  }

  function apply({
    runId,
    expect,
    fencingToken,
    set,
    messages = [],
    entries = [],
    used,
    summary,
    queue,
  }: RunChange): void {
    if (fencingToken !== undefined && !leases.isCurrent({ runId, fencingToken })) throw changeRejected;
    const found = expected.get(runId, expect.status, expect.turn) as [number, number, string | null] | undefined;
    if (!found) throw changeRejected;
    const [seq, queuedBefore, usedBefore] = found;
    if (expect.queued !== undefined && expect.queued !== queuedBefore) throw changeRejected;
    if (!insert(seq, messages, entries)) throw changeRejected;
    if (summary) putSummary.run(seq, summary.throughTurn, summary.text);
    const queued = queue === undefined ? queuedBefore : requeue(seq, queuedBefore, queue);
    if (set) {
      const failure = set.failure ? JSON.stringify(set.failure) : null;
      updateRun.run(set.status, set.turn, set.updatedAt, failure, queued, total(usedBefore, used), seq);
    } else if (used || queue !== undefined) updateCounts.run(queued, total(usedBefore, used), seq);
  }

  /** Probes for 64 KiB of free space: a long model response. */
  function probeDiskSpace(): void {
    putSummary.run(-1, 0, "0".repeat(65_536));
    dropSummary.run(-1);
  }

  function eraseNow(id: string): boolean {
    const seq = terminated.get(id)?.["seq"];
    if (seq === undefined) return false;
    eraseHead.run(Number(seq));
    for (const statement of erasures) statement.run(Number(seq));
    return true;
  }

  /** Returns the new number of queued inputs. */
  function requeue(seq: number, queued: number, queue: NonNullable<RunChange["queue"]>): number {
    if (queue === "drop") {
      dropQueue.run(seq);
      return 0;
    }
    if ("add" in queue) {
      if (insertQueued.run(seq, queue.add.turn, queue.add.text).changes === 0) throw changeRejected;
      return queued + 1;
    }
    if (deleteQueued.run(seq, queue.take).changes === 0) throw changeRejected;
    return queued - 1;
  }

  function find(id: string): { row: RunRow; run: Run; transcript: TranscriptMessage[] } | undefined {
    const row = findRun.get(id) as unknown as RunRow | undefined;
    if (!row) return undefined;
    const messages = transcriptOf.all(row[0]) as unknown as [TranscriptMessage["role"], string][];
    return { row, run: toRun(row), transcript: messages.map(([role, text]) => ({ role, text })) };
  }

  return {
    create: (run, messages) =>
      write(() => {
        const { id, agentId, organizationId, name, status, turn, createdAt, updatedAt } = run;
        const { lastInsertRowid: seq } = insertRun.run(
          id,
          agentId,
          organizationId,
          name,
          status,
          turn,
          createdAt,
          updatedAt,
        );
        if (!insert(seq, messages, [])) throw new Error(`run ${id}: two messages have the same key`);
      }),

    async read(id) {
      const found = read(() => find(id));
      return found && { run: found.run, transcript: found.transcript };
    },

    load: async (id) =>
      read(() => {
        const found = find(id);
        if (!found) return undefined;
        const { row, run, transcript } = found;
        const journal = turnEntriesOf
          .all(row[0], run.turn)
          .map(({ body }) => JSON.parse(String(body)) as RunJournalEntry);
        const queue = run.queued === undefined ? [] : queueOf.all(row[0]).map(toQueued);
        const summary = run.turn > 1 ? summaryOf.get(row[0]) : undefined;
        return { run, transcript, journal, queue, ...(summary && { summary: toSummary(summary) }) };
      }),

    change: (change) =>
      write(() => apply(change)).then(
        () => {
          const { runId, fencingToken, set } = change;
          if (set && fencingToken === undefined) leases.end(runId);
          else if (set && fencingToken !== undefined) leases.release({ runId, fencingToken });
          return true;
        },
        (error: unknown) => {
          if (error === changeRejected) return false;
          throw error;
        },
      ),

    erase: (id) => write(() => eraseNow(id)),

    async claim(request) {
      // A worker that claims is about to pay for a model response, which must fit on the disk.
      if (refusesWrites()) await write(probeDiskSpace);
      const found = read(() => isRunning.get(request.runId));
      const claim = found && leases.claim(request);
      return claim && { ...claim, turn: Number(found["turn"]) };
    },
    renew: async (lease, until) => read(() => isRunning.get(lease.runId)) !== undefined && leases.renew(lease, until),
    status: async (id) => read(() => statusOf.get(id))?.["status"] as Run["status"] | undefined,
    holds: async (lease) => leases.isCurrent(lease) && read(() => isRunning.get(lease.runId)) !== undefined,
    release: async (lease) => leases.release(lease),

    listJournal: async (id) =>
      read(() => entriesOf.all(id)).map(({ body }) => JSON.parse(String(body)) as RunJournalEntry),

    listByAgent: async (agentId, limit) =>
      read(() => runsOfAgent.all(agentId, limit) as unknown as RunRow[]).map(toRun),

    listRunning: async () =>
      read(() => running.all() as { id: string; turn: number; updated_at: number }[]).map(
        ({ id, turn, updated_at }) => {
          return { id, turn, updatedAt: updated_at };
        },
      ),
  };
}

// Thrown to roll back the transaction.
const changeRejected = new Error("the change was rejected");

function total(before: string | null, used: Usage | undefined): string | null {
  if (!used) return before;
  return JSON.stringify(addUsage(before === null ? noUsage : (JSON.parse(before) as Usage), used));
}

function toQueued({ turn, text }: Record<string, unknown>): QueuedInput {
  return { turn: Number(turn), text: String(text) };
}

function toSummary({ through_turn: throughTurn, text }: Record<string, unknown>): Summary {
  return { throughTurn: Number(throughTurn), text: String(text) };
}

function toRun(row: RunRow): Run {
  const [, id, agentId, organizationId, name, status, turn, createdAt, updatedAt, failure, queued, used] = row;
  return {
    id,
    agentId,
    organizationId,
    name,
    status,
    turn,
    createdAt,
    updatedAt,
    ...(failure !== null && { failure: JSON.parse(failure) as NonNullable<Run["failure"]> }),
    ...(queued > 0 && { queued }),
    ...(used !== null && { used: JSON.parse(used) as Usage }),
  };
}

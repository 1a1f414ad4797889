import type { Run, RunChange, Runs, StepRecord, TranscriptMessage, TurnMessage } from "../../runs/ports.ts";
import type { Database } from "./database.ts";

/** A row of `runs` as an array: what a poll reads is wanted as arrays, objects take it 1.7 times as long. */
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
];

export function localRuns({ db, read, write }: Database): Runs {
  const insertRun = db.prepare("INSERT INTO runs VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, NULL)");
  const insertMessage = db.prepare("INSERT OR IGNORE INTO messages VALUES (?, ?, ?, ?)");
  const insertStep = db.prepare("INSERT OR IGNORE INTO steps VALUES (?, ?, ?, ?, ?)");
  const expected = db.prepare("SELECT seq FROM runs WHERE id = ? AND status = ? AND turn = ?");
  const updateRun = db.prepare("UPDATE runs SET status = ?, turn = ?, updated_at = ?, failure = ? WHERE seq = ?");
  const findRun = db.prepare("SELECT * FROM runs WHERE id = ?");
  const transcriptOf = db.prepare("SELECT role, text FROM messages WHERE run = ? ORDER BY turn, role");
  const stepsOf = db.prepare("SELECT body FROM steps WHERE run = ? AND turn = ? ORDER BY step, part");
  const runsOfAgent = db.prepare("SELECT * FROM runs WHERE agent_id = ? ORDER BY created_at DESC, id LIMIT ?");
  for (const statement of [findRun, transcriptOf, runsOfAgent]) statement.setReturnArrays(true);
  const running = db.prepare("SELECT id, turn, updated_at FROM runs WHERE status = 'running'");

  /** False: one of them has its place taken. */
  function add(seq: number | bigint, messages: TurnMessage[], steps: StepRecord[]): boolean {
    return (
      messages.every(({ turn, role, text }) => insertMessage.run(seq, turn, role, text).changes === 1) &&
      steps.every((record) => {
        const { turn, step, part } = record;
        return insertStep.run(seq, turn, step, part, JSON.stringify(record)).changes === 1;
      })
    );
  }

  function apply({ runId, expect, set, messages = [], steps = [] }: RunChange): void {
    const found = expected.get(runId, expect.status, expect.turn);
    if (!found) throw changeLost;
    const seq = Number(found["seq"]);
    if (set) {
      const failure = set.failure ? JSON.stringify(set.failure) : null;
      updateRun.run(set.status, set.turn, set.updatedAt, failure, seq);
    }
    if (!add(seq, messages, steps)) throw changeLost;
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
        if (!add(seq, messages, [])) throw new Error(`run ${id}: two messages with one place`);
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
        const steps = stepsOf.all(row[0], run.turn).map(({ body }) => JSON.parse(String(body)) as StepRecord);
        return { run, transcript, steps };
      }),

    change: (change) =>
      write(() => apply(change)).then(
        () => true,
        (error: unknown) => {
          if (error === changeLost) return false;
          throw error;
        },
      ),

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

// Thrown to have the transaction undone.
const changeLost = new Error("the change lost");

function toRun([, id, agentId, organizationId, name, status, turn, createdAt, updatedAt, failure]: RunRow): Run {
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
  };
}

import type { Run, RunChange, Runs, StepRecord, TranscriptMessage, TurnMessage } from "../../runs/ports.ts";
import type { Database } from "./database.ts";

type RunRow = Record<"id" | "agent_id" | "organization_id" | "name" | "status", string> &
  Record<"seq" | "turn" | "created_at" | "updated_at", number> & { failure: string | null };

export function localRuns({ db, write }: Database): Runs {
  const insertRun = db.prepare("INSERT INTO runs VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, NULL)");
  const insertMessage = db.prepare("INSERT OR IGNORE INTO messages VALUES (?, ?, ?, ?)");
  const insertStep = db.prepare("INSERT OR IGNORE INTO steps VALUES (?, ?, ?, ?, ?)");
  const expected = db.prepare("SELECT seq FROM runs WHERE id = ? AND status = ? AND turn = ?");
  const updateRun = db.prepare("UPDATE runs SET status = ?, turn = ?, updated_at = ?, failure = ? WHERE seq = ?");
  const findRun = db.prepare("SELECT * FROM runs WHERE id = ?");
  const transcriptOf = db.prepare("SELECT role, text FROM messages WHERE run = ? ORDER BY turn, role");
  const stepsOf = db.prepare("SELECT body FROM steps WHERE run = ? AND turn = ? ORDER BY step, part");
  const runsOfAgent = db.prepare("SELECT * FROM runs WHERE agent_id = ? ORDER BY created_at DESC, id LIMIT ?");
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

  function read(id: string): { row: RunRow; run: Run; transcript: TranscriptMessage[] } | undefined {
    const row = findRun.get(id) as RunRow | undefined;
    return row && { row, run: toRun(row), transcript: transcriptOf.all(row.seq) as unknown as TranscriptMessage[] };
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
      const found = read(id);
      return found && { run: found.run, transcript: found.transcript };
    },

    load: async (id) => {
      const found = read(id);
      if (!found) return undefined;
      const { row, run, transcript } = found;
      const steps = stepsOf.all(row.seq, run.turn).map(({ body }) => JSON.parse(String(body)) as StepRecord);
      return { run, transcript, steps };
    },

    change: (change) =>
      write(() => apply(change)).then(
        () => true,
        (error: unknown) => {
          if (error === changeLost) return false;
          throw error;
        },
      ),

    listByAgent: async (agentId, limit) => (runsOfAgent.all(agentId, limit) as RunRow[]).map(toRun),

    listRunning: async () =>
      (running.all() as Pick<RunRow, "id" | "turn" | "updated_at">[]).map(({ id, turn, updated_at }) => {
        return { id, turn, updatedAt: updated_at };
      }),
  };
}

// Thrown to have the transaction undone.
const changeLost = new Error("the change lost");

function toRun(row: RunRow): Run {
  return {
    id: row.id,
    agentId: row.agent_id,
    organizationId: row.organization_id,
    name: row.name,
    status: row.status as Run["status"],
    turn: row.turn,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    ...(row.failure === null ? {} : { failure: JSON.parse(row.failure) as NonNullable<Run["failure"]> }),
  };
}

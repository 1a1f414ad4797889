import type { Run, RunChange, Runs, StepRecord, TranscriptMessage, TurnMessage } from "../../runs/ports.ts";
import type { Database } from "./database.ts";

type RunRow = Record<"id" | "agent_id" | "organization_id" | "name" | "status", string> &
  Record<"turn" | "created_at" | "updated_at", number> & { failure: string | null };

export function localRuns({ db, write }: Database): Runs {
  const insertRun = db.prepare("INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL)");
  const insertMessage = db.prepare("INSERT OR IGNORE INTO messages VALUES (?, ?, ?, ?)");
  const insertStep = db.prepare("INSERT OR IGNORE INTO steps VALUES (?, ?, ?, ?, ?)");
  const expected = db.prepare("SELECT 1 FROM runs WHERE id = ? AND status = ? AND turn = ?");
  const updateRun = db.prepare(
    "UPDATE runs SET status = ?, turn = ?, updated_at = ?, failure = ? WHERE id = ? AND status = ? AND turn = ?",
  );
  const findRun = db.prepare("SELECT * FROM runs WHERE id = ?");
  const transcriptOf = db.prepare("SELECT role, text FROM messages WHERE run_id = ? ORDER BY turn, role");
  const stepsOf = db.prepare("SELECT body FROM steps WHERE run_id = ? AND turn = ? ORDER BY step, part");
  const runsOfAgent = db.prepare("SELECT * FROM runs WHERE agent_id = ? ORDER BY created_at DESC, id LIMIT ?");
  const running = db.prepare("SELECT id, turn, updated_at FROM runs WHERE status = 'running'");

  function addMessages(runId: string, messages: TurnMessage[]): boolean {
    return messages.every(({ turn, role, text }) => insertMessage.run(runId, turn, role, text).changes === 1);
  }

  function addSteps(runId: string, steps: StepRecord[]): boolean {
    return steps.every((step) => {
      return insertStep.run(runId, step.turn, step.step, step.part, JSON.stringify(step)).changes === 1;
    });
  }

  function moved({ runId, expect, set }: RunChange): boolean {
    if (!set) return expected.get(runId, expect.status, expect.turn) !== undefined;
    const failure = set.failure ? JSON.stringify(set.failure) : null;
    const { status, turn, updatedAt } = set;
    return updateRun.run(status, turn, updatedAt, failure, runId, expect.status, expect.turn).changes === 1;
  }

  function read(id: string): { run: Run; transcript: TranscriptMessage[] } | undefined {
    const row = findRun.get(id) as RunRow | undefined;
    return row && { run: toRun(row), transcript: transcriptOf.all(id) as unknown as TranscriptMessage[] };
  }

  return {
    create: (run, messages) =>
      write(() => {
        const { id, agentId, organizationId, name, status, turn, createdAt, updatedAt } = run;
        insertRun.run(id, agentId, organizationId, name, status, turn, createdAt, updatedAt);
        if (!addMessages(id, messages)) throw new Error(`run ${id}: two messages with one place`);
      }),

    read: async (id) => read(id),

    load: async (id) => {
      const found = read(id);
      if (!found) return undefined;
      const steps = stepsOf.all(id, found.run.turn).map((row) => JSON.parse(String(row["body"])) as StepRecord);
      return { ...found, steps };
    },

    change: (change) =>
      write(() => {
        const { runId, messages = [], steps = [] } = change;
        return moved(change) && addMessages(runId, messages) && addSteps(runId, steps) ? true : lost();
      }).catch((error: unknown) => {
        if (error === changeLost) return false;
        throw error;
      }),

    listByAgent: async (agentId, limit) => (runsOfAgent.all(agentId, limit) as RunRow[]).map(toRun),

    listRunning: async () =>
      (running.all() as Pick<RunRow, "id" | "turn" | "updated_at">[]).map(({ id, turn, updated_at }) => {
        return { id, turn, updatedAt: updated_at };
      }),
  };
}

// Thrown to have the transaction undone.
const changeLost = new Error("the change lost");
function lost(): never {
  throw changeLost;
}

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

import type { FileVersion, ManifestFile } from "../../agent/turn/files/manifest.ts";
import { startOf } from "../../runs/text.ts";
import { tickByTick } from "../../async/tick-by-tick.ts";
import { isOwn } from "../../runs/control/own-run.ts";
import { mergeRuns, placeOf } from "../../runs/read/merge-runs.ts";
import type { Runs } from "../../runs/ports.ts";
import type {
  AskingRun,
  QueuedInput,
  Run,
  RunJournalEntry,
  RunningRun,
  RunPlace,
  RunState,
  Summary,
  TranscriptMessage,
  TurnState,
} from "../../runs/run-types.ts";
import { localQuotas } from "./quotas.ts";
import type { Database } from "./database/sqlite.ts";
import { eventsOf } from "./database/event-keys.ts";
import { type Query, rows, tuples } from "./database/query.ts";
import { runColumns, type RunRow, toRun } from "./database/run-columns.ts";
import { starterIn } from "./database/starter.ts";
import { transcriptPieces } from "./database/transcript-pieces.ts";

/** The columns of `PublicRun` besides its id, and the size of the transcript. */
type PublicRow = [
  seq: number,
  agentId: string,
  organizationId: string,
  status: Run["status"],
  transcriptBytes: number,
  isImported: number,
];

/** Bytes of the largest transcript that is opened as a whole. */
const maxWholeBytes = 256 * 1024;

/** Runs of a list that are read before other requests are handled. */
const rowsAtOnce = 100;

type RunningRow = { id: string; turn: number; updated_at: number; waiting: number | null; pauses: number | null };

export function localRunReads(
  database: Database,
): Pick<
  Runs,
  | "read"
  | "open"
  | "transcriptBytes"
  | "storedBytes"
  | "output"
  | "load"
  | "loadTurn"
  | "loadShortTurn"
  | "head"
  | "firstInput"
  | "status"
  | "list"
  | "listRunning"
  | "listWaiting"
  | "listAsking"
  | "quotaUse"
  | "recount"
> {
  const { db, read } = database;
  const inTurn = tickByTick();
  const piecesOf = transcriptPieces(database, inTurn);
  const findRun = tuples<RunRow>(db, `SELECT seq, ${runColumns} FROM runs WHERE id = ?`);
  const transcriptOf = tuples<MessageRow>(db, `SELECT role, text FROM messages WHERE ${eventsOf("?1")} ORDER BY event`);
  const turnMessagesOf = tuples<[...MessageRow, agentVersion: number | null]>(
    db,
    `SELECT role, text, agent_version FROM messages WHERE ${eventsOf("?1")} ORDER BY event`,
  );
  const versionOf = tuples<[number | null]>(
    db,
    `SELECT agent_version FROM messages WHERE ${eventsOf("?1")} ORDER BY event DESC LIMIT 1`,
  );
  // From the last entry of an earlier turn on: the entries of earlier turns are not read.
  const journalOfTurn = tuples<JournalRow>(
    db,
    `SELECT sequence, at, body FROM journal WHERE ${eventsOf("?1")} AND turn = ?2 AND event > coalesce(
       (SELECT event FROM journal WHERE ${eventsOf("?1")} AND turn < ?2 ORDER BY event DESC LIMIT 1), 0
     ) ORDER BY event`,
  );
  // The text comes last in a row: rows of other turns are passed without reading theirs.
  const outputOf = db.prepare(
    `SELECT text FROM runs JOIN messages ON ${eventsOf("seq")} WHERE id = ? AND messages.turn = ?
     AND role = 'output_from_agent' ORDER BY event DESC LIMIT 1`,
  );
  const bytesOf = db.prepare("SELECT transcript_bytes FROM runs WHERE id = ?");
  const queueOf = db.prepare("SELECT turn, text, started_by FROM queue WHERE run = ? ORDER BY turn");
  const summaryOf = db.prepare("SELECT through_turn, text FROM summaries WHERE run = ?");
  const storedBytes = db.prepare("SELECT bytes FROM stored_bytes WHERE owner = ?");
  const filesOf = db.prepare("SELECT uploads, current FROM files WHERE run = ?");
  const runsOf = (owner: "agent_id" | "organization_id") =>
    tuples<RunRow>(
      db,
      `SELECT seq, ${runColumns} FROM runs WHERE ${owner} = ? AND created_at >= ? AND (created_at, id) < (?, ?)
       ORDER BY created_at DESC, id DESC LIMIT ?`,
    );
  const [runsOfAgent, runsOfOrganization] = [runsOf("agent_id"), runsOf("organization_id")];
  const running = rows<RunningRow>(
    db,
    "SELECT id, turn, updated_at, waiting, pauses FROM runs WHERE status = 'running' AND waiting IS NOT 1 AND asked_until IS NULL",
  );
  const asking = rows<AskingRun>(
    db,
    "SELECT id, turn, asked_until AS askedUntil, pauses, agent_id AS agentId, organization_id AS organizationId FROM runs " +
      "WHERE asked_until <= ?1 AND (organization_id = ?2 OR ?2 IS NULL) ORDER BY asked_until, seq",
  );
  const quotas = localQuotas(db);
  const statusOf = db.prepare("SELECT status FROM runs WHERE id = ?");
  const publicRunOf = tuples<PublicRow>(
    db,
    "SELECT seq, agent_id, organization_id, status, transcript_bytes, imported IS NOT NULL FROM runs WHERE id = ?",
  );
  const firstInputOf = db.prepare(
    `SELECT substr(text, 1, ?) AS start FROM runs JOIN messages ON ${eventsOf("seq")} WHERE id = ?
     ORDER BY event LIMIT 1`,
  );

  function transcript(seq: number): TranscriptMessage[] {
    return transcriptOf.all(seq).map(toMessage);
  }

  function find(id: string): { seq: number; run: Run } | undefined {
    const row = findRun.get(id);
    return row && { seq: row[0], run: toRun(row) };
  }

  function turnOf({ seq, run }: { seq: number; run: Run }, agentVersion: number | null): TurnState {
    const journal = journalOfTurn.all(seq, run.turn).map(toEntry);
    return { run, journal, ...(agentVersion !== null && { agentVersion }), ...toFiles(filesOf.get(seq)) };
  }

  /** The runs of an owner behind a place, read in pieces: 1,000 rows at once take 10 ms, for which nothing else is done. */
  async function listPart(
    { statement, owner, since }: { statement: Query<RunRow>; owner: string; since: number },
    after: RunPlace,
    limit: number,
  ): Promise<{ runs: Run[]; cut?: RunPlace }> {
    const runs: Run[] = [];
    for (let place = after; ;) {
      const size = Math.min(limit - runs.length, rowsAtOnce);
      const readRows = (): Run[] => read(() => statement.all(owner, since, place.createdAt, place.id, size)).map(toRun);
      const piece = await (limit > rowsAtOnce ? inTurn([owner], readRows) : readRows());
      runs.push(...piece);
      const last = piece.at(-1);
      if (!last || piece.length < size) return { runs };
      place = placeOf(last);
      if (runs.length === limit) return { runs, cut: place };
    }
  }

  const loadTurn = async (id: string) =>
    read(() => {
      const found = find(id);
      return found && turnOf(found, versionOf.get(found.seq)?.[0] ?? null);
    });

  return {
    read: async (id) =>
      read(() => {
        const found = find(id);
        return found && { run: found.run, transcript: transcript(found.seq) };
      }),

    async open(id, owner) {
      const expected = await owner;
      return read(() => {
        // A poll needs few columns: all of them take 8 % of its time.
        const row = publicRunOf.get(id);
        if (!row) return undefined;
        const [seq, agentId, organizationId, status, transcriptBytes, isImported] = row;
        const run = { id, agentId, organizationId, status };
        if (isImported === 1 || !isOwn(run, expected)) return undefined;
        if (transcriptBytes <= maxWholeBytes) return { run, transcript: transcript(seq) };
        return { run, pieces: piecesOf(seq, [organizationId, agentId]) };
      });
    },

    async storedBytes({ agentId, organizationId }) {
      const [agent, organization] = read(() => [storedBytes.get(agentId), storedBytes.get(organizationId)]);
      return { agent: Number(agent?.["bytes"] ?? 0), organization: Number(organization?.["bytes"] ?? 0) };
    },

    transcriptBytes: async (id) => Number(read(() => bytesOf.get(id))?.["transcript_bytes"] ?? 0),

    async output({ id }, turn) {
      const found = read(() => outputOf.get(id, turn));
      return found && String(found["text"]);
    },

    load: async (id) =>
      read(() => {
        const found = find(id);
        if (!found) return undefined;
        const { seq, run } = found;
        const queue = run.queued === undefined ? [] : queueOf.all(seq).map(toQueued);
        const summary = run.turn > 1 ? summaryOf.get(seq) : undefined;
        const messages = turnMessagesOf.all(seq);
        return {
          transcript: messages.map(toMessage),
          queue,
          ...turnOf(found, messages.at(-1)?.[2] ?? null),
          ...(summary && { summary: toSummary(summary) }),
        };
      }),

    loadTurn,
    loadShortTurn: loadTurn,

    async head(id) {
      const row = read(() => findRun.get(id));
      return row && toRun(row);
    },

    async firstInput(id, length) {
      const found = read(() => firstInputOf.get(length, id));
      return found && startOf(String(found["start"]), length); // SQLite counts code points
    },

    status: async (id) => read(() => statusOf.get(id))?.["status"] as Run["status"] | undefined,

    list(query) {
      const [statement, owners] =
        "agentIds" in query ? [runsOfAgent, query.agentIds] : [runsOfOrganization, query.organizationIds];
      const since = query.since ?? 0;
      return mergeRuns(
        owners.map((owner) => (after, limit) => listPart({ statement, owner, since }, after, limit)),
        query,
      );
    },

    listRunning: async () => read(() => running.all()).map(toRunning),

    listAsking: async ({ organizationId, until = Number.MAX_SAFE_INTEGER } = {}) =>
      read(() => asking.all(until, organizationId ?? null)),

    listWaiting: async (organizationId) => read(() => quotas.listWaiting(organizationId)),

    quotaUse: async (owner) => read(() => quotas.use(owner)),

    recount: async () => 0, // counts are derived
  };
}

type MessageRow = [role: TranscriptMessage["role"], text: string];

function toMessage(row: readonly [...MessageRow, ...unknown[]]): TranscriptMessage {
  return { role: row[0], text: row[1] };
}

type JournalRow = [sequence: number, at: number, body: string];

function toRunning({ id, turn, updated_at: updatedAt, waiting, pauses }: RunningRow): RunningRun {
  const run = { id, turn, updatedAt, ...(pauses !== null && { pauses }) };
  return waiting === null ? run : { ...run, waiting: waiting === 1 };
}

function toEntry([sequence, at, body]: JournalRow): RunJournalEntry {
  const entry = JSON.parse(body) as RunJournalEntry;
  return { ...entry, sequence, at };
}

function toQueued({ turn, text, started_by }: Record<string, unknown>): QueuedInput {
  return { turn: Number(turn), text: String(text), ...starterIn(started_by as string | null) };
}

function toSummary({ through_turn: throughTurn, text }: Record<string, unknown>): Summary {
  return { throughTurn: Number(throughTurn), text: String(text) };
}

function toFiles({ uploads, current }: Record<string, unknown> = {}): Pick<RunState, "uploads" | "files"> {
  return {
    ...(typeof uploads === "string" && { uploads: JSON.parse(uploads) as FileVersion[] }),
    ...(typeof current === "string" && { files: JSON.parse(current) as ManifestFile[] }),
  };
}

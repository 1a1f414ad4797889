import { addUsage, noUsage, type Usage } from "../../agent/turn/turn-limits.ts";
import { deliveryOf, endsTurn, messagesOf } from "../../runs/deliveries.ts";
import { requireAllEvents, sequenceOf } from "../../runs/events.ts";
import type { Labels } from "../../runs/labels.ts";
import type { Runs } from "../../runs/ports.ts";
import type {
  Lease,
  QuotaScope,
  RunChange,
  RunJournalEntry,
  RunToken,
  Slot,
  Stamped,
  TurnMessage,
} from "../../runs/run-types.ts";
import { bytesOfFiles, storedBytesOf } from "../../runs/files/stored-bytes.ts";
import { placeOf } from "../../runs/quotas.ts";
import { mergedTools } from "../../runs/tools.ts";
import { transcriptBytesOf } from "../../runs/transcript-bytes.ts";
import { auditWriter } from "./audit.ts";
import { eventWriter } from "./deliveries.ts";
import { localIdempotency } from "./idempotency.ts";
import { localQuotas } from "./quotas.ts";
import { eventKey, eventsOf } from "./database/event-keys.ts";
import { tuples } from "./database/query.ts";
import { erasingColumns, runColumns, runPlaceholders, valuesOf } from "./database/run-columns.ts";
import { encodeStarter } from "./database/starter.ts";
import type { Database } from "./database/sqlite.ts";

/** `forget`: removes a run from other files with its texts. `isCurrent`: whether the fencing token of a change is the current one. */
export function localRunWrites(
  { db, read, write, scrub }: Database,
  isCurrent: (lease: Lease) => boolean,
  forget: (runId: string) => Promise<void>,
): Pick<Runs, "create" | "findCreated" | "change" | "listErasures" | "erase"> {
  const insert = rowInserts(db);
  const requeue = queueWrites(db);
  const erase = erasure(db);
  const beginErasure = db.prepare("INSERT OR IGNORE INTO erasures (run_id) VALUES (?)");
  const endErasure = db.prepare("DELETE FROM erasures WHERE run_id = ?");
  const listErasures = db.prepare("SELECT run_id FROM erasures");
  const insertAudit = auditWriter(db);
  const insertDelivery = eventWriter(db);
  const quotas = localQuotas(db);
  const idempotent = localIdempotency(db);
  const insertRun = db.prepare(`INSERT INTO runs (transcript_bytes, ${runColumns}) VALUES (?, ${runPlaceholders})`);
  const insertUploads = db.prepare("INSERT INTO files (run, uploads, bytes) VALUES (?, ?, ?)");
  const putFiles = db.prepare(
    "INSERT INTO files (run, current, bytes) VALUES (?, ?, ?) " +
      "ON CONFLICT (run) DO UPDATE SET current = excluded.current, bytes = excluded.bytes",
  );
  const addBytes = db.prepare(
    "INSERT INTO files (run, bytes) VALUES (?, ?) ON CONFLICT (run) DO UPDATE SET bytes = bytes + excluded.bytes",
  );
  const putSummary = db.prepare("INSERT OR REPLACE INTO summaries (run, through_turn, text) VALUES (?, ?, ?)");
  const expected = tuples<HeadRow>(
    db,
    "SELECT seq, queued, used, sequence, quota_of, waiting, agent_id, organization_id, webhook, tools, asked_until, pauses, worked FROM runs " +
      "WHERE id = ? AND status = ? AND turn = ?",
  );
  const updateRun = db.prepare(
    "UPDATE runs SET status = ?, turn = ?, updated_at = ?, failure = ?, queued = ?, used = ?, sequence = ?, " +
      "quota_of = ?, waiting = ?, asked_until = ?, pauses = ?, worked = ?, model = coalesce(?, model), tools = ?, transcript_bytes = transcript_bytes + ? WHERE seq = ?",
  );
  const updateCounts = db.prepare(
    "UPDATE runs SET queued = ?, used = ?, sequence = ?, model = coalesce(?, model), tools = ?, " +
      "transcript_bytes = transcript_bytes + ? WHERE seq = ?",
  );

  const updateLabels = db.prepare("UPDATE runs SET labels = ? WHERE seq = ? AND name <> ''"); // an erased run has no name

  const updateTokens = db.prepare("UPDATE runs SET tokens = ? WHERE seq = ? AND name <> '' AND tokens IS ?");

  function apply(change: RunChange): void {
    const {
      runId,
      expect,
      fencingToken,
      set,
      slot,
      messages = [],
      entries = [],
      used,
      model = null,
      tools,
      summary,
      files,
      queue,
      labels,
      tokens,
      erase: erasing,
      audit,
      idempotency,
    } = change;
    if (fencingToken !== undefined && !isCurrent({ runId, fencingToken })) throw changeRejected;
    const found = expected.get(runId, expect.status, expect.turn);
    if (!found) throw changeRejected;
    // By index: see `toRun`.
    const { 0: seq, 1: queuedBefore, 2: usedBefore, 3: sequenceBefore, 4: quotaOf, 5: waiting, 6: agentId } = found;
    const { 7: organizationId, 8: webhook, 9: toolsBefore, 10: askedUntil, 11: pausesBefore, 12: worked } = found;
    if (expect.queued !== undefined && expect.queued !== queuedBefore) throw changeRejected;
    if (expect.waiting && waiting !== 1) throw changeRejected;
    if (expect.pauses !== undefined && expect.pauses !== pausesBefore) throw changeRejected;
    if (expect.asks !== undefined && expect.asks !== (askedUntil !== null)) throw changeRejected;
    const { before, after } = sequenceOf(change) ?? { before: sequenceBefore, after: sequenceBefore };
    if (before !== sequenceBefore) throw changeRejected;
    if (slot && !quotas.admit(slot, waiting === 1)) throw changeRejected;
    if (idempotency && !idempotent.keep({ id: runId, agentId }, idempotency)) throw changeRejected;
    insert(seq, messages, entries);
    if (summary) putSummary.run(seq, summary.throughTurn, summary.text);
    if (labels && updateLabels.run(labelsColumn(labels), seq).changes === 0) throw changeRejected;
    if (tokens) {
      const values = [tokensColumn(tokens.after), seq, tokensColumn(tokens.before)] as const;
      if (updateTokens.run(...values).changes === 0) throw changeRejected;
    }
    if (erasing) beginErasure.run(runId);
    if (audit) insertAudit(audit);
    const delivery =
      webhook === null
        ? undefined
        : deliveryOf(change, {
            agentId,
            organizationId,
            webhook,
            ...(pausesBefore !== null && { pauses: pausesBefore }),
          });
    if (delivery) insertDelivery(delivery);
    if (used && quotaOf !== null) {
      quotas.charge({ agentId, organizationId, quotaOf }, used.dollars, endsTurn(change) ? 1 : 0);
    }
    const bytes = storedBytesOf(change);
    if (files) putFiles.run(seq, JSON.stringify(files), bytesOfFiles(files));
    else if (bytes !== 0) addBytes.run(seq, bytes);
    const queued = queue === undefined ? queuedBefore : requeue(seq, queuedBefore, queue);
    if (set) {
      const failure = set.failure ? JSON.stringify(set.failure) : null;
      const place = placeAfter(change, [quotaOf, waiting]);
      updateRun.run(
        set.status,
        set.turn,
        set.updatedAt,
        failure,
        queued,
        total(usedBefore, used),
        after,
        ...place,
        ...pauseAfter(change, [pausesBefore, worked]),
        model,
        toolsColumn(toolsBefore, tools),
        transcriptBytesOf(change),
        seq,
      );
    } else if (used || model !== null || tools || queue !== undefined || after !== before) {
      const facts = [total(usedBefore, used), after, model, toolsColumn(toolsBefore, tools)];
      updateCounts.run(queued, ...facts, transcriptBytesOf(change), seq);
    }
  }

  return {
    create: (run, messages, { slot, uploads = [], entries = [], summary, idempotency, audit } = {}) =>
      write(() => {
        if (entries.length > 0) requireAllEvents(run, [...messages, ...entries]);
        const replayed = idempotency && idempotent.find(run.agentId, idempotency.key);
        if (replayed) return { replayed };
        if (slot && !quotas.admit(slot, false)) return "no_slot";
        const values = valuesOf({ ...run, ...placeOf(slot, false) });
        const { lastInsertRowid: seq } = insertRun.run(transcriptBytesOf({ messages }), ...values);
        insert(seq, messages, entries);
        if (summary) putSummary.run(seq, summary.throughTurn, summary.text);
        if (uploads.length > 0) insertUploads.run(seq, JSON.stringify(uploads), bytesOfFiles(uploads));
        if (idempotency) idempotent.keep(run, idempotency);
        if (audit) insertAudit(audit);
        return "created";
      }),

    findCreated: async (agentId, key) => read(() => idempotent.find(agentId, key)),

    change: (change) =>
      write(() => apply(change)).then(
        () => true,
        (error: unknown) => {
          if (error === changeRejected) return false;
          throw error;
        },
      ),

    listErasures: async () => read(() => listErasures.all()).map(({ run_id }) => String(run_id)),

    async erase(id) {
      if (!(await write(() => erase(id)))) return false;
      await scrub();
      await forget(id);
      await write(() => void endErasure.run(id));
      return true;
    },
  };
}

type HeadRow = [
  seq: number,
  queued: number,
  used: string | null,
  sequence: number,
  quotaOf: QuotaScope | null,
  waiting: number | null,
  agentId: string,
  organizationId: string,
  webhook: string | null,
  tools: string | null,
  askedUntil: number | null,
  pauses: number | null,
  worked: number | null,
];

function tokensColumn(tokens: RunToken[]): string | null {
  return tokens.length > 0 ? JSON.stringify(tokens) : null;
}

function labelsColumn(labels: Labels = {}): string | null {
  return Object.keys(labels).length > 0 ? JSON.stringify(labels) : null;
}

/** The columns `quota_of` and `waiting`. */
type PlaceColumns = [quotaOf: QuotaScope | null, waiting: number | null];

/** The columns of a run that takes a slot. */
function placeColumns(slot: Slot, hasWaited: boolean): PlaceColumns {
  const { quotaOf = null, waiting } = placeOf(slot, hasWaited);
  return [quotaOf, waiting === undefined ? null : Number(waiting)];
}

/** The columns after a change of the status. The next turn of a running run keeps its slot, and has not waited for it. */
function placeAfter({ expect, set, slot }: RunChange, before: PlaceColumns): PlaceColumns {
  if (set?.status !== "running" || set.asks) return [null, null];
  if (slot) return placeColumns(slot, expect.waiting === true);
  if (expect.status !== "running" || expect.asks) return [null, null];
  return set.turn === expect.turn ? before : [before[0], null];
}

/** The columns `asked_until`, `pauses` and `worked` after a change of the status. */
function pauseAfter(
  { expect, set }: RunChange,
  [before, worked]: [pauses: number | null, worked: number | null],
): (number | null)[] {
  if (set?.asks) return [set.asks.askedUntil, set.asks.pauses, set.asks.worked];
  const isSameTurn = expect.status === "running" && set?.status === "running" && set.turn === expect.turn;
  return [null, set?.pauses ?? before, isSameTurn ? worked : null];
}

// Thrown to roll back the transaction.
const changeRejected = new Error("the change was rejected");

/** Returns a function that inserts messages and journal entries. */
function rowInserts(db: Database["db"]) {
  const insertMessage = db.prepare(
    `INSERT INTO messages (event, at, turn, role, agent_version, started_by, text) VALUES (${eventKey("?", "?")}, ?, ?, ?, ?, ?, ?)`,
  );
  const insertEntry = db.prepare(`INSERT INTO journal (event, at, turn, body) VALUES (${eventKey("?", "?")}, ?, ?, ?)`);
  return (seq: number | bigint, messages: Stamped<TurnMessage>[], entries: Stamped<RunJournalEntry>[]): void => {
    for (const { turn, role, text, sequence, at, agentVersion = null, startedBy } of messages) {
      insertMessage.run(seq, sequence, at, turn, role, agentVersion, encodeStarter(startedBy), text);
    }
    for (const { sequence, at, ...entry } of entries) {
      insertEntry.run(seq, sequence, at, entry.turn, JSON.stringify(entry));
    }
  };
}

/** Returns a function that changes the queue of a run and returns the new number of queued inputs. */
function queueWrites(db: Database["db"]) {
  const insertQueued = db.prepare("INSERT OR IGNORE INTO queue (run, turn, text, started_by) VALUES (?, ?, ?, ?)");
  const deleteQueued = db.prepare("DELETE FROM queue WHERE run = ? AND turn = ?");
  const dropQueue = db.prepare("DELETE FROM queue WHERE run = ?");
  return (seq: number, queued: number, queue: NonNullable<RunChange["queue"]>): number => {
    if (queue === "drop") {
      dropQueue.run(seq);
      return 0;
    }
    if ("add" in queue) {
      const { turn, text, startedBy } = queue.add;
      if (insertQueued.run(seq, turn, text, encodeStarter(startedBy)).changes === 0) throw changeRejected;
      return queued + 1;
    }
    if (deleteQueued.run(seq, queue.take).changes === 0) throw changeRejected;
    return queued - 1;
  };
}

/** Returns a function that erases a `terminated` run. False: the run does not exist or has another status. */
function erasure(db: Database["db"]) {
  const terminated = db.prepare("SELECT seq FROM runs WHERE id = ? AND status = 'terminated'");
  const eraseHead = db.prepare(`UPDATE runs SET ${erasingColumns}, transcript_bytes = 0 WHERE seq = ?`);
  const erasures = [
    ...["messages", "journal"].map((table) => db.prepare(`DELETE FROM ${table} WHERE ${eventsOf("?1")}`)),
    ...["queue", "summaries", "files"].map((table) => db.prepare(`DELETE FROM ${table} WHERE run = ?`)),
  ];
  // Those that are still to be sent report that the run has ended. They go with their last attempt.
  const dropDeliveries = db.prepare("DELETE FROM deliveries WHERE id > ? AND id < ? AND due IS NULL");
  return (id: string): boolean => {
    const seq = terminated.get(id)?.["seq"];
    if (seq === undefined) return false;
    eraseHead.run(Number(seq));
    for (const statement of erasures) statement.run(Number(seq));
    const messages = messagesOf(id);
    dropDeliveries.run(messages, `${messages}~`); // sorts behind all ids that begin with it
    return true;
  };
}

function total(before: string | null, used: Usage | undefined): string | null {
  if (!used) return before;
  return JSON.stringify(addUsage(before === null ? noUsage : (JSON.parse(before) as Usage), used));
}

/** The tools of a run with those that its new answers call. */
function toolsColumn(before: string | null, added: string[] = []): string | null {
  const known = before === null ? [] : (JSON.parse(before) as string[]);
  const all = mergedTools(known, added);
  return all.length === known.length ? before : JSON.stringify(all);
}

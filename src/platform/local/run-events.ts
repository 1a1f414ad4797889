import { consecutive } from "../../runs/events.ts";
import type { Runs } from "../../runs/ports.ts";
import type { RunEvent, RunJournalEntry, TurnMessage } from "../../runs/run-types.ts";
import { eventKey, eventsOf } from "./database/event-keys.ts";
import { type Query, rows, tuples } from "./database/query.ts";
import { starterIn } from "./database/starter.ts";
import type { Database } from "./database/sqlite.ts";

/** Characters after which a page ends. */
const maxPageLength = 1_000_000;

/** A row of `messages` (with `role`) or `journal`. */
interface EventRow {
  sequence: number;
  at: number;
  turn: number;
  role?: TurnMessage["role"];
  text: string;
  agent_version?: number | null;
  started_by?: string | null;
}

export function localRunEvents({ db, read }: Database): Pick<Runs, "listEvents"> {
  const findRun = db.prepare("SELECT seq FROM runs WHERE id = ?");
  const afterNumber = `${eventsOf("?1")} AND event > ${eventKey("?1", "?2")} ORDER BY event LIMIT ?3`;
  const messagesAfter = rows<EventRow>(
    db,
    `SELECT sequence, at, turn, role, text, agent_version, started_by FROM messages WHERE ${afterNumber}`,
  );
  const journalAfter = rows<EventRow>(db, `SELECT sequence, at, turn, body AS text FROM journal WHERE ${afterNumber}`);

  return {
    listEvents: async (id, after, limit) =>
      read(() => {
        const seq = findRun.get(id)?.["seq"];
        if (seq === undefined) return [];
        const found = [messagesAfter, journalAfter].flatMap((query) => firstRows(query, Number(seq), after, limit));
        return consecutive(found, after)
          .slice(0, limit)
          .map((row) => Object.assign(toEvent(row), { sequence: row.sequence, at: row.at }));
      }),
  };
}

/** Returns a function that counts the bytes of a run's messages and journal, of which it reads the lengths. 0: there is no run. */
export function localRecordBytes({ db, read }: Database): (runId: string) => number {
  const find = tuples<[messages: number | null, journal: number | null]>(
    db,
    `SELECT (SELECT sum(octet_length(text)) FROM messages WHERE ${eventsOf("seq")}),
      (SELECT sum(octet_length(body)) FROM journal WHERE ${eventsOf("seq")})
    FROM runs WHERE id = ?`,
  );
  return (runId) => {
    const [messages, journal] = read(() => find.get(runId)) ?? [];
    return (messages ?? 0) + (journal ?? 0);
  };
}

/** Rows up to `limit` and, together, about `maxPageLength` characters. */
function firstRows(query: Query<EventRow>, seq: number, after: number, limit: number): EventRow[] {
  const first: EventRow[] = [];
  let length = 0;
  for (const row of query.iterate(seq, after, limit)) {
    first.push(row);
    length += row.text.length;
    if (length >= maxPageLength) break;
  }
  return first;
}

function toEvent({ turn, role, text, agent_version: agentVersion = null, started_by }: EventRow): RunEvent {
  if (role === undefined) return JSON.parse(text) as RunJournalEntry;
  return { turn, role, text, ...(agentVersion !== null && { agentVersion }), ...starterIn(started_by) };
}

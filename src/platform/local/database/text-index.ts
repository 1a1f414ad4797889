import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { pause } from "../../../async/backoff.ts";
import { log } from "../../../log.ts";
import type { TextIndex, TextScope } from "../../../runs/ports.ts";
import { textsOf } from "../../../runs/read/record-texts.ts";
import { distinctWords } from "../../../runs/read/words.ts";
import type { RunEvent } from "../../../runs/types.ts";
import { eventKey } from "./event-keys.ts";
import { tuples } from "./query.ts";
import { forgetIn, type NewWords, openWordTables, type WordTables } from "./word-tables.ts";

/** The newest runs that a search looks at. Their places in the index take 20 ms to read. */
const maxRuns = 20_000;
/** Records and characters that are indexed before other requests are handled: about 10 ms. */
const [recordsAtOnce, charactersAtOnce] = [200, 50_000];
/** Milliseconds that a search waits for the index. The rest is indexed after its answer. */
const maxWait = 2_000;

interface Deps {
  /** The database with the records. */
  file: string;
  /** That of the index. */
  indexFile: string;
  maxWait?: number;
}

interface ScopedRun {
  seq: number;
  id: string;
  organizationId: string;
  createdAt: number;
  sequence: number;
}

/** Searches the words of records, which it indexes when it is searched: the writes of turns do nothing for it. */
export function localTextIndex({ file, indexFile, maxWait: wait = maxWait }: Deps): TextIndex & { close(): void } {
  let open: { tables: WordTables; records: RecordReader } | undefined;
  const stop = new AbortController();
  let queue = new Map<string, ScopedRun>();
  let working = false;

  const opened = (): NonNullable<typeof open> =>
    (open ??= { tables: openWordTables(indexFile), records: recordReader(file) });

  const first = (): ScopedRun | undefined => queue.values().next().value;

  /** Indexes the queue, the first run first. Between two parts, it rests as long as the last one took. */
  async function work(): Promise<void> {
    if (working) return;
    working = true;
    try {
      for (let run = first(); run && !stop.signal.aborted; run = first()) {
        const [{ tables, records }, { seq }] = [opened(), run];
        const start = performance.now();
        const more = tables.add(run, (after) => records.wordsAfter(seq, after));
        if (!more) queue.delete(run.id);
        await pause(performance.now() - start);
      }
    } catch (error) {
      queue.clear(); // the next search tries again
      log("error", "the search index was not brought up to date", { error: String(error) });
    } finally {
      working = false;
    }
  }

  return {
    async find({ phrases, since, ...owners }) {
      const { tables, records } = opened();
      tables.forgetBefore(since);
      const runs = records.scope({ since, ...owners });
      const behind: ScopedRun[] = [];
      for (const [index, run] of runs.entries()) {
        if ((tables.indexedRun(run.id)?.sequence ?? 0) < run.sequence) behind.push(run);
        if (index % 2_000 === 1_999) await setImmediate();
      }
      const ids = new Set(behind.map(({ id }) => id));
      const others = [...queue].filter(([id]) => !ids.has(id));
      queue = new Map([...behind.map((run) => [run.id, run] as const), ...others]);
      void work();
      const unindexed = (): number => behind.filter(({ id }) => queue.has(id)).length;
      for (const end = performance.now() + wait; unindexed() > 0 && performance.now() < end && !stop.signal.aborted;)
        await pause(5);
      const unread = unindexed();

      const organizationIds = [...new Set(runs.map(({ organizationId }) => organizationId))];
      const { found, complete } = tables.find(organizationIds, phrases);
      const sequences = new Map<number, number[]>();
      for (const { number, sequence } of found) {
        const known = sequences.get(number);
        if (known) known.push(sequence);
        else sequences.set(number, [sequence]);
      }
      const matching = runs.flatMap(({ id }) => {
        const number = sequences.size > 0 ? tables.indexedRun(id)?.number : undefined;
        const own = number === undefined ? undefined : sequences.get(number);
        return own ? [{ id, sequences: own }] : [];
      });
      const indexed = runs.length - unread;
      return { runs: matching, indexed, complete: complete && unread === 0 && runs.length < maxRuns };
    },

    forget: async (runId) => (open ? open.tables.forget(runId) : forgetIn(indexFile, runId)),

    close() {
      stop.abort();
      open?.tables.close();
      open?.records.close();
    },
  };
}

type RecordReader = ReturnType<typeof recordReader>;

/** Reads records with a connection of its own: a read that began before the index was locked could show a run that was erased since. */
function recordReader(file: string) {
  const db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  type RunRow = [seq: number, id: string, organizationId: string, createdAt: number, sequence: number];
  const newest = (column: string) =>
    tuples<RunRow>(
      db,
      `SELECT seq, id, organization_id, created_at, sequence FROM runs WHERE ${column} = ? AND created_at >= ? AND sequence > 0 ` +
        `ORDER BY created_at DESC LIMIT ${maxRuns}`,
    );
  const [ofAgent, ofOrganization] = [newest("agent_id"), newest("organization_id")];
  const messages = tuples<[sequence: number, role: string, text: string]>(
    db,
    `SELECT sequence, role, text FROM messages WHERE event BETWEEN ${eventKey("?1", "?2")} AND ${eventKey("?1", "?3")} ORDER BY event`,
  );
  const entries = tuples<[sequence: number, body: string]>(
    db,
    `SELECT sequence, body FROM journal WHERE event BETWEEN ${eventKey("?1", "?2")} AND ${eventKey("?1", "?3")} ORDER BY event`,
  );
  const last = tuples<[sequence: number]>(db, "SELECT sequence FROM runs WHERE seq = ?");

  return {
    /** The newest runs of agents or organizations. */
    scope({ since, ...owners }: TextScope): ScopedRun[] {
      const found =
        "agentIds" in owners
          ? owners.agentIds.flatMap((id) => ofAgent.all(id, since))
          : owners.organizationIds.flatMap((id) => ofOrganization.all(id, since));
      return found
        .map(([seq, id, organizationId, createdAt, sequence]) => ({ seq, id, organizationId, createdAt, sequence }))
        .toSorted((a, b) => b.createdAt - a.createdAt)
        .slice(0, maxRuns);
    },

    /** The words of the next records of a run. */
    wordsAfter(seq: number, after: number): NewWords {
      const through = last.get(seq)?.[0] ?? 0;
      const end = Math.min(through, after + recordsAtOnce);
      const events: [number, () => RunEvent][] = [];
      for (const [sequence, role, text] of messages.iterate(seq, after + 1, end)) {
        events.push([sequence, () => ({ role, text, turn: 0 }) as RunEvent]);
      }
      for (const [sequence, body] of entries.iterate(seq, after + 1, end)) {
        events.push([sequence, () => JSON.parse(body) as RunEvent]);
      }
      const records: NewWords["records"] = [];
      let characters = 0;
      for (const [sequence, read] of events.toSorted(([a], [b]) => a - b)) {
        const texts = textsOf(read());
        const words = new Set<string>();
        for (const { text } of texts) {
          characters += text.length;
          for (const word of distinctWords(text)) words.add(word);
        }
        if (words.size > 0) records.push({ sequence, words });
        if (characters > charactersAtOnce) return { records, through: sequence, more: sequence < through };
      }
      return { records, through: Math.max(after, end), more: end < through };
    },

    close: () => db.close(),
  };
}

import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { pause } from "../../../async/backoff.ts";
import { log } from "../../../log.ts";
import type { TextIndex, TextScope } from "../../../runs/ports.ts";
import { textsOf } from "../../../runs/read/search/record-texts.ts";
import { distinctWords } from "../../../runs/read/search/words.ts";
import type { RunEvent } from "../../../runs/run-types.ts";
import { eventKey } from "./event-keys.ts";
import { tuples } from "./query.ts";
import { type IndexedRun, type NewWords, openWordTables, type WordTables } from "./word-tables.ts";

/** The newest runs that a search covers. Their places in the index take 20 ms to read. */
const maxRuns = 20_000;
/** Records and characters that are indexed before other requests are handled: about 10 ms. */
const [recordsAtOnce, charactersAtOnce] = [200, 50_000];
/** Milliseconds that a search waits for the index. The rest is indexed after its answer. */
const maxWait = 2_000;

interface IndexFiles {
  /** The database with the records. */
  file: string;
  /** That of the index. */
  indexFile: string;
  maxWait?: number;
}

interface IndexParts {
  tablesOf: () => WordTables;
  recordsOf: () => RecordReader;
  wait: number;
}

interface ScopedRun {
  seq: number;
  id: string;
  organizationId: string;
  createdAt: number;
  sequence: number;
}

/** Searches the words of records, which it indexes when it is searched: the writes of turns do nothing for it. */
export function localTextIndex({
  file,
  indexFile,
  maxWait: wait = maxWait,
}: IndexFiles): TextIndex & { close(): void } {
  let words: WordTables | undefined;
  let reader: RecordReader | undefined;

  const tablesOf = (): WordTables => (words ??= openWordTables(indexFile));
  const recordsOf = (): RecordReader => (reader ??= recordReader(file));
  const queue = indexQueue({ tablesOf, recordsOf, wait });

  return {
    async find({ phrases, since, ...owners }) {
      const tables = tablesOf();
      tables.forgetBefore(since);
      const runs = recordsOf().scope({ since, ...owners });
      const places = new Map<string, IndexedRun>();
      const behind: ScopedRun[] = [];
      const check = (run: ScopedRun): boolean => {
        const known = tables.indexedRun(run.id);
        const isIndexed = known !== undefined && known.sequence >= run.sequence;
        if (isIndexed) places.set(run.id, known);
        return isIndexed;
      };
      for (const [index, run] of runs.entries()) {
        if (!check(run)) behind.push(run);
        if (index % 2_000 === 1_999) await setImmediate();
      }
      await queue.indexFirst(behind);
      for (const run of behind) check(run);

      // A run whose chunk was dropped meanwhile is not in the index.
      const organizationIds = [...new Set(runs.map(({ organizationId }) => organizationId))];
      const { found, searched, complete } = await tables.find(organizationIds, phrases);
      const indexed = [...places.values()].filter(({ chunk }) => searched.has(chunk)).length;
      const matching = runs.flatMap(({ id }) => {
        const sequences = found.get(places.get(id)?.number ?? -1);
        return sequences ? [{ id, sequences }] : [];
      });
      return { runs: matching, indexed, complete: complete && indexed === runs.length && runs.length < maxRuns };
    },

    async forget(runId) {
      if (words || existsSync(indexFile)) await tablesOf().forget(runId);
    },

    close() {
      queue.close();
      words?.close();
      reader?.close();
    },
  };
}

/** The runs whose records are not in the index yet. `wait`: milliseconds that a search waits for them. */
function indexQueue({ tablesOf, recordsOf, wait }: IndexParts) {
  const stop = new AbortController();
  let queue = new Map<string, ScopedRun>();
  let working = false;
  const first = (): ScopedRun | undefined => queue.values().next().value;

  /** Indexes the queue, the first run first. Between two parts, it rests as long as the last one took. */
  async function work(): Promise<void> {
    if (working) return;
    working = true;
    try {
      for (let run = first(); run && !stop.signal.aborted; run = first()) {
        const { seq } = run;
        const start = performance.now();
        const more = tablesOf().add(run, (after) => recordsOf().wordsAfter(seq, after));
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

  /** Puts runs before all others, and waits until they are indexed, if that is soon. */
  async function indexFirst(runs: ScopedRun[]): Promise<void> {
    const ids = new Set(runs.map(({ id }) => id));
    const others = [...queue].filter(([id]) => !ids.has(id));
    queue = new Map([...runs.map((run) => [run.id, run] as const), ...others]);
    void work();
    const isWaiting = (): boolean => runs.some(({ id }) => queue.has(id));
    const end = performance.now() + wait;
    while (isWaiting() && performance.now() < end && !stop.signal.aborted) await pause(5);
  }

  return { indexFirst, close: () => stop.abort() };
}

type RecordReader = ReturnType<typeof recordReader>;

/** Reads records with a connection of its own: a read that began before the index was locked could show a run that was erased since. */
function recordReader(file: string) {
  const db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  const { ofAgent, ofOrganization, messages, entries, last } = statementsOf(db);

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
      const events: [number, RunEvent][] = [];
      let limit = end;
      const collect = (
        found: Iterable<readonly [number, ...string[]]>,
        toEvent: (columns: string[]) => RunEvent,
      ): void => {
        let characters = 0;
        for (const [sequence, ...columns] of found) {
          events.push([sequence, toEvent(columns)]);
          characters += columns.at(-1)?.length ?? 0;
          if (characters > charactersAtOnce) {
            limit = Math.min(limit, sequence);
            return;
          }
        }
      };
      collect(messages.iterate(seq, after + 1, end), ([role, text]) => ({ role, text, turn: 0 }) as RunEvent);
      collect(entries.iterate(seq, after + 1, limit), ([body = ""]) => JSON.parse(body) as RunEvent);
      const records = events
        .filter(([sequence]) => sequence <= limit)
        .map(([sequence, event]) => {
          return { sequence, words: distinctWords(textsOf(event).map(({ text }) => text)) };
        })
        .filter(({ words }) => words.size > 0);
      return { records, through: Math.max(after, limit), more: limit < through };
    },

    close: () => db.close(),
  };
}

function statementsOf(db: DatabaseSync) {
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
  return { ofAgent, ofOrganization, messages, entries, last };
}

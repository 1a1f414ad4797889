// The key of a message or journal entry is one integer, made of its run and its number: a row of a rowid table that is appended
// changes one page. With both as the key of a table without rowid, a run wrote 2.6 pages more of 14.3 (counted): such a table
// has whole rows in its inner pages, and balances three pages when one is full.

/** Numbers of events are between -`maxSequence` and `maxSequence`. */
const maxSequence = "0x7fffffff";

/** SQL of the key of an event. `sequence` is cast, because node:sqlite binds numbers as floating-point numbers. */
export function eventKey(run: string, sequence: string): string {
  return `((${run} << 32) + CAST(${sequence} AS INTEGER))`;
}

/** SQL condition: the events of a run, in the order of their keys. */
export function eventsOf(run: string): string {
  return `event BETWEEN (${run} << 32) - ${maxSequence} AND (${run} << 32) + ${maxSequence}`;
}

/** SQL of the columns of a key. For people and tests: no index has "run", so queries name the key. */
export const eventColumns = `event INTEGER PRIMARY KEY,
    run INTEGER AS ((event + ${maxSequence}) >> 32) VIRTUAL, sequence INTEGER AS (event - (run << 32)) VIRTUAL`;

import type { Runs } from "../ports.ts";
import type { RunEvent, RunJournalEntry } from "../run-types.ts";

/** Events per read of the store. */
const pageLimit = 100;

/** Yields the events of a run after number `after`, in order. */
export async function* eventsOf({ runs }: { runs: Runs }, runId: string, after = 0): AsyncGenerator<RunEvent> {
  for (let last = after; ;) {
    const page = await runs.listEvents(runId, last, pageLimit);
    if (page.length === 0) return;
    yield* page;
    last = page.at(-1)?.sequence ?? last;
  }
}

/** The journal entries of all turns, in order. */
export async function journalOf(deps: { runs: Runs }, runId: string): Promise<RunJournalEntry[]> {
  const entries: RunJournalEntry[] = [];
  for await (const event of eventsOf(deps, runId)) if ("part" in event) entries.push(event);
  return entries;
}

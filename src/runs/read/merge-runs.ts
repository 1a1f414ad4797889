import type { Run, RunPage, RunPlace, RunQuery } from "../run-types.ts";

/** The newest runs of one part of a list that are older than `after`, at most `limit`. `cut`: the part has older ones. */
export type PartReader = (after: RunPlace, limit: number) => Promise<{ runs: Run[]; cut?: RunPlace }>;

/** Runs that are read for a page. Bounds the cost of a filter that few runs pass. */
const maxRead = 2_000;

/** Older than every run. Times have 15 digits at most. */
const newestPlace: RunPlace = { createdAt: 999_999_999_999_999, id: "" };

/**
 * Merges the parts of a list into a page, newest first. Reads of each part a little more than its share of the page, in
 * parallel, and continues until the page is full or `maxRead` runs are read.
 */
export async function mergeRuns(
  parts: PartReader[],
  {
    after = newestPlace,
    limit,
    statuses,
    imported,
    onRead,
  }: Pick<RunQuery, "after" | "limit" | "statuses" | "imported" | "onRead">,
): Promise<RunPage> {
  const page: Run[] = [];
  const share = parts.length === 1 ? limit + 1 : Math.ceil((2 * limit) / parts.length) + 4;
  const size = statuses === undefined ? share : Math.max(share, Math.ceil(maxRead / 2 / parts.length));
  let place = after;
  for (let read = 0; ;) {
    const results = await Promise.all(parts.map((part) => part(place, size)));
    const count = results.reduce((sum, { runs }) => sum + runs.length, 0);
    onRead?.(count);
    // Behind the first place at which a part is cut, runs of that part are missing.
    const [cut] = results.flatMap((result) => result.cut ?? []).toSorted(newestFirst);
    const complete = results.flatMap(({ runs }) => runs).filter((run) => !cut || newestFirst(run, cut) <= 0);
    for (const run of complete.toSorted(newestFirst)) {
      if (statuses?.includes(run.status) === false || (run.imported && imported === false)) continue;
      const last = page.at(-1);
      if (last && page.length === limit) return { runs: page, next: placeOf(last) };
      page.push(run);
    }
    if (!cut) return { runs: page };
    read += count;
    if (page.length === limit || read >= maxRead) return { runs: page, next: cut };
    place = cut;
  }
}

export function placeOf({ createdAt, id }: RunPlace): RunPlace {
  return { createdAt, id };
}

/** Orders runs by the time of creation and by id, both descending. */
export function newestFirst(a: RunPlace, b: RunPlace): number {
  if (a.createdAt !== b.createdAt) return b.createdAt - a.createdAt;
  return a.id === b.id ? 0 : a.id < b.id ? 1 : -1;
}

import { expect, test } from "vitest";
import { mergeRuns, newestFirst, type PartReader } from "../../../src/runs/read/merge-runs.ts";
import type { Run, RunPlace } from "../../../src/runs/run-types.ts";
import { newRun } from "../../platform/run-fixtures.ts";
import fc from "../../support/properties.ts";

/** A reader of a part, which counts the runs that it returns. */
function partOf(all: Run[], count: (runs: number) => void = () => {}): PartReader {
  const sorted = all.toSorted(newestFirst);
  return async (after, limit) => {
    const runs = sorted.filter((run) => newestFirst(run, after) > 0).slice(0, limit);
    count(runs.length);
    const last = runs.at(-1);
    return { runs, ...(last && runs.length === limit && { cut: last }) };
  };
}

test("pages of merged parts are complete and in order, however the runs are distributed", async () => {
  const run = fc.record({ part: fc.nat(4), createdAt: fc.nat(30), status: fc.constantFrom("finished", "running") });
  await fc.assert(
    fc.asyncProperty(
      fc.array(run, { maxLength: 80 }),
      fc.integer({ min: 1, max: 20 }),
      fc.constantFrom(undefined, "finished" as const),
      async (specs, limit, status) => {
        const all = specs.map(({ part, ...fields }) => ({ part, run: newRun(fields as Partial<Run>) }));
        const parts = [0, 1, 2, 3, 4].map((n) => partOf(all.flatMap((each) => (each.part === n ? each.run : []))));
        const found: Run[] = [];
        let after: RunPlace | undefined;
        do {
          const page = await mergeRuns(parts, {
            limit,
            ...(status && { statuses: [status] }),
            ...(after && { after }),
          });
          expect(page.runs.length).toBeLessThanOrEqual(limit);
          if (page.next && !status) expect(page.runs).toHaveLength(limit);
          found.push(...page.runs);
          after = page.next;
        } while (after);
        const wanted = all.flatMap((each) => (!status || each.run.status === status ? each.run : []));
        expect(found).toEqual(wanted.toSorted(newestFirst));
      },
    ),
  );
});

test.each([1, 16, 320])("a page reads a bounded number of 20,000 runs in %i parts", async (parts) => {
  const run = newRun({ status: "finished" });
  const all = Array.from({ length: 20_000 }, (_, createdAt) => ({ ...run, id: String(createdAt), createdAt }));
  let read = 0;
  const readers = Array.from({ length: parts }, (_, part) =>
    partOf(
      all.filter(({ createdAt }) => createdAt % parts === part),
      (runs) => void (read += runs),
    ),
  );
  const page = await mergeRuns(readers, { limit: 50 });
  expect(page.runs).toEqual(all.slice(-50).toReversed());
  expect(read).toBeLessThanOrEqual(2 * 50 + 5 * parts);
  read = 0;
  const filtered = await mergeRuns(readers, { limit: 50, statuses: ["technical_error"] });
  expect(filtered).toEqual({ runs: [], next: expect.objectContaining({ createdAt: expect.any(Number) as number }) });
  expect(read).toBeLessThan(5_000);
});

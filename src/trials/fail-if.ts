import type { TrialSummary } from "./summary.ts";

type CountedCases = Pick<TrialSummary, "verdicts" | "open" | "missing">;

/**
 * What the conditions of `--fail-if` can count:
 * - `worse`, `better`, `equal`, `unclear`, `same`, `different`: cases with this verdict.
 * - `left`: cases that left the record.
 * - `failed`: cases whose turn failed.
 * - `broken`: cases that broke an assertion.
 * - `untried`: cases that cannot be tried.
 * - `missing`: cases that left out calls with effects outside of the service.
 * - `open`: cases without a verdict, because the trial ended before.
 */
const counts = {
  worse: ({ verdicts }) => verdicts.worse,
  better: ({ verdicts }) => verdicts.better,
  equal: ({ verdicts }) => verdicts.equal,
  unclear: ({ verdicts }) => verdicts.unclear,
  same: ({ verdicts }) => verdicts.same,
  different: ({ verdicts }) => verdicts.different,
  left: ({ verdicts }) => verdicts.left_record,
  failed: ({ verdicts }) => verdicts.failed,
  broken: ({ verdicts }) => verdicts.assertion_broken,
  untried: ({ verdicts }) => verdicts.cannot_be_tried,
  missing: ({ missing }) => missing,
  open: ({ open }) => open,
} as const satisfies Record<string, (summary: CountedCases) => number>;

/** A condition under which a trial counts as failed, such as `worse>0`. */
export interface FailCondition {
  counted: keyof typeof counts;
  above: ">" | ">=";
  number: number;
}

const example = "worse>0,left>5";

/** Parses conditions that are separated by commas. `problem`: a sentence. */
export function parseFailIf(text: string): { conditions: FailCondition[] } | { problem: string } {
  const conditions: FailCondition[] = [];
  for (const part of text.split(",").map((each) => each.trim())) {
    const [, counted = "", above, number] = /^([\w-]+)\s*(>=?)\s*(\d{1,9})$/.exec(part) ?? [];
    if (above === undefined) {
      return {
        problem: `Expected conditions NAME>NUMBER or NAME>=NUMBER such as ${example}, received ${shown(part)}.`,
      };
    }
    if (!isCounted(counted)) {
      return {
        problem: `Expected one of ${Object.keys(counts).join(", ")} before ${above}, received ${shown(counted)}.`,
      };
    }
    conditions.push({ counted, above: above as FailCondition["above"], number: Number(number) });
  }
  return { conditions };
}

/** The conditions that apply to a trial, each with the count, as in `worse>0: 2`. Empty: the trial has not failed. */
export function failures(conditions: FailCondition[], summary: CountedCases): string[] {
  return conditions.flatMap(({ counted, above, number }) => {
    const count = counts[counted](summary);
    const applies = above === ">" ? count > number : count >= number;
    return applies ? [`${counted}${above}${number}: ${count}`] : [];
  });
}

function isCounted(name: string): name is keyof typeof counts {
  return Object.hasOwn(counts, name);
}

function shown(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100).toWellFormed()}…` : text);
}

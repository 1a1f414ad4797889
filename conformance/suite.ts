import { authCases, disabledKeyCases, otherKeyCases } from "./auth.ts";
import type { TestedServer } from "./types.ts";
import { createCases } from "./create.ts";
import { descriptionCases } from "./description.ts";
import { type Case, Mismatch } from "./expect.ts";
import { fileCases } from "./files.ts";
import { readCases } from "./read.ts";
import { validationCases } from "./validation.ts";

/** Concurrent cases: enough to overlap waiting runs, few enough for a small server's memory (14 MB bodies). */
const parallel = 4;

export interface CaseResult {
  name: string;
  passed: boolean;
  expected?: string;
  received?: string;
}

/** The cases that apply to `target`, in the order in which they are reported. */
export function casesFor(target: TestedServer): Case[] {
  return [
    ...descriptionCases,
    ...authCases,
    ...(target.disabledApiKey === undefined ? [] : disabledKeyCases),
    ...(target.otherApiKey === undefined ? [] : otherKeyCases),
    ...validationCases,
    ...createCases,
    ...readCases,
    ...fileCases,
  ];
}

/** Runs the cases. Reports them in order, each as soon as it and all before it have ended. */
export async function runCases(
  cases: Case[],
  target: TestedServer,
  report: (result: CaseResult) => void,
): Promise<CaseResult[]> {
  const results: CaseResult[] = [];
  let next = 0;
  let reported = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < cases.length; index = next++) {
      const item = cases[index];
      if (!item) return;
      results[index] = await runCase(item, target);
      for (let done = results[reported]; done; done = results[++reported]) report(done);
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  return results;
}

async function runCase({ name, run }: Case, target: TestedServer): Promise<CaseResult> {
  try {
    await run(target);
    return { name, passed: true };
  } catch (error) {
    if (error instanceof Mismatch) return { name, passed: false, expected: error.expected, received: error.received };
    // No HTTP response: refused, reset or timed out.
    return { name, passed: false, expected: "an HTTP response", received: reason(error) };
  }
}

function reason(error: unknown): string {
  // A refused connection to a name with several addresses is an AggregateError without a message.
  if (error instanceof AggregateError) return error.errors.map(reason).join(", ");
  return error instanceof Error ? error.message : String(error);
}

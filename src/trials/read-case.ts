import type { Stores } from "../runs/ports.ts";
import { turnEvents } from "../runs/read/turn-record.ts";
import { type Alignment, alignCalls } from "./align-calls.ts";
import { type TurnCall, type TurnFacts, turnFacts } from "./turn-facts.ts";
import { type ArmName, armNames, type TrialCase } from "./types.ts";

/** A case with what its turns did. Absent arms were not tried. */
export interface CaseDetail extends Partial<Record<ArmName, TurnFacts>> {
  recorded: TurnFacts;
  /** The calls of the recorded turn on the left, and those of the candidate on the right. */
  calls: Alignment<TurnCall>;
}

/** Reads what the recorded turn of a case and the attempts at it did. A deleted run has done nothing. */
export async function readCase(deps: Pick<Stores, "runs">, { source, ...attempts }: TrialCase): Promise<CaseDetail> {
  const factsOf = async (runId: string): Promise<TurnFacts> =>
    turnFacts(await turnEvents(deps, runId, source.turn), source.turn);
  const [recorded, ...tried] = await Promise.all([
    factsOf(source.runId),
    ...armNames.map(async (arm) => {
      const attempt = attempts[arm];
      return attempt && ([arm, await factsOf(attempt.runId)] as const);
    }),
  ]);
  const arms: Partial<Record<ArmName, TurnFacts>> = Object.fromEntries(tried.filter((each) => each !== undefined));
  return { recorded, ...arms, calls: alignCalls(recorded.calls, arms.candidate?.calls ?? []) };
}

import type { Stores } from "../runs/ports.ts";
import { turnEvents } from "../runs/read/turn-record.ts";
import type { RunEvent } from "../runs/types.ts";
import { type Alignment, alignCalls } from "./align-calls.ts";
import { compareSteps, type ComparedStep } from "./compare-steps.ts";
import { type TurnCall, type TurnFacts, turnFacts } from "./turn-facts.ts";
import { type ArmName, armNames, type Trial, type TrialCase } from "./types.ts";

/** A case with what its turns did. Absent arms were not tried, or have no turn of their own: `next_step`. */
export interface CaseDetail extends Partial<Record<ArmName, TurnFacts>> {
  recorded: TurnFacts;
  /** Of `next_step`: the recorded steps with the candidate's answers. Otherwise empty. */
  steps: ComparedStep[];
  /** The calls of the recorded turn on the left, and those of the candidate on the right. Of `next_step`: none. */
  calls: Alignment<TurnCall>;
}

/** Reads what the recorded turn of a case and the attempts at it did. A deleted run has done nothing. */
export async function readCase(
  deps: Pick<Stores, "runs">,
  { mode }: Pick<Trial, "mode">,
  { source, ...attempts }: TrialCase,
): Promise<CaseDetail> {
  const eventsOfTurn = (runId: string): Promise<RunEvent[]> => turnEvents(deps, runId, source.turn);
  const [events, ...tried] = await Promise.all([
    eventsOfTurn(source.runId),
    ...armNames.map(async (arm) => {
      const attempt = attempts[arm];
      return attempt && ([arm, await eventsOfTurn(attempt.runId)] as const);
    }),
  ]);
  const read = new Map(tried.filter((each) => each !== undefined));
  const recorded = turnFacts(events, source.turn);
  if (mode === "next_step") {
    const steps = compareSteps(entriesIn(events), entriesIn(read.get("candidate") ?? []));
    return { recorded, steps, calls: alignCalls<TurnCall>([], []) };
  }
  const arms: Partial<Record<ArmName, TurnFacts>> = Object.fromEntries(
    [...read].map(([arm, each]) => [arm, turnFacts(each, source.turn)]),
  );
  return { recorded, ...arms, steps: [], calls: alignCalls(recorded.calls, arms.candidate?.calls ?? []) };
}

function entriesIn(events: RunEvent[]) {
  return events.filter((event) => "part" in event);
}

import { resultSchemaOf } from "../accounts/definition.ts";
import { answerSeconds } from "../accounts/limits.ts";
import type { AgentDefinition } from "../accounts/types.ts";
import { ownEntries, usageOfEntry } from "../agent/turn/journal.ts";
import { addUsage, noUsage, subtractUsage } from "../agent/turn/limits.ts";
import type { AskedModel, TurnInput } from "../agent/turn/types.ts";
import { conversation } from "../runs/read/conversation.ts";
import { turnStartedAt } from "../runs/status.ts";
import type { RunState } from "../runs/types.ts";
import { maxRetryWaitSeconds } from "./policy.ts";

/** What a turn works on. `fallback`: the model that is asked after the retries of the first one. */
export function turnInput(
  state: RunState,
  agent: AgentDefinition,
  { asked, fallback }: { asked: AskedModel; fallback?: AskedModel | undefined },
  deadline: number,
): TurnInput {
  const { run, journal } = state;
  const { instructions, limits, runLimits, recordReasoning } = agent;
  const usedByTurn = ownEntries(journal).reduce((sum, entry) => addUsage(sum, usageOfEntry(entry) ?? noUsage), noUsage);
  return {
    turn: run.turn,
    instructions,
    limits,
    ...(runLimits && { runLimits }),
    ...(recordReasoning !== undefined && { recordReasoning }),
    ...resultSchemaOf(agent),
    ...asked,
    ...(fallback && { fallback }),
    history: conversation(state),
    journal,
    usedBefore: subtractUsage(run.used ?? noUsage, usedByTurn),
    startedAt: turnStartedAt(run),
    deadline,
    answerMs: (agent.answers?.withinSeconds ?? answerSeconds.default) * 1_000,
    maxRetryWaitMs: maxRetryWaitSeconds * 1_000,
  };
}

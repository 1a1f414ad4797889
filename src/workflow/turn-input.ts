import { resultSchemaOf } from "../accounts/agents/definition.ts";
import { answerSeconds } from "../accounts/account-limits.ts";
import type { AgentDefinition } from "../accounts/account-types.ts";
import { withServerInstructions } from "../agent/mcp/instructions.ts";
import type { Tool } from "../agent/tools/tool.ts";
import { ownEntries, usageOfEntry } from "../agent/turn/journal.ts";
import { addUsage, noUsage, subtractUsage } from "../agent/turn/turn-limits.ts";
import type { AskedModel, TurnInput } from "../agent/turn/turn-types.ts";
import { conversation } from "../runs/read/conversation.ts";
import { turnStartedAt } from "../runs/status.ts";
import type { RunState } from "../runs/run-types.ts";
import type { AgentCall } from "./agent-call.ts";
import { maxRetryWaitSeconds } from "./policy.ts";

/**
 * What a turn works on. `fallback`: the model that is asked after the retries of the first one. `offered`: the tools, of which those of
 * MCP servers add to the instructions.
 */
export function turnInput(
  state: RunState,
  agent: AgentDefinition,
  {
    asked,
    fallback,
    offered,
  }: { asked: AskedModel; fallback?: AskedModel | undefined; offered: Pick<Tool, "origin">[] },
  { deadline, killed }: Pick<AgentCall, "deadline" | "killed">,
): TurnInput {
  const { run, journal } = state;
  const { instructions, limits, runLimits, recordReasoning } = agent;
  const usedByTurn = ownEntries(journal).reduce((sum, entry) => addUsage(sum, usageOfEntry(entry) ?? noUsage), noUsage);
  return {
    turn: run.turn,
    instructions: withServerInstructions(instructions, offered),
    limits,
    ...(runLimits && { runLimits }),
    ...(recordReasoning !== undefined && { recordReasoning }),
    ...resultSchemaOf(agent),
    ...asked,
    ...(fallback && { fallback }),
    history: conversation(state),
    journal,
    ...(killed && { killed }),
    usedBefore: subtractUsage(run.used ?? noUsage, usedByTurn),
    startedAt: turnStartedAt(run),
    deadline,
    answerMs: (agent.answers?.withinSeconds ?? answerSeconds.default) * 1_000,
    maxRetryWaitMs: maxRetryWaitSeconds * 1_000,
  };
}

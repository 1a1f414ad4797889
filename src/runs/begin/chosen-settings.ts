import { fallbackOf, runModelOf } from "../../accounts/agents/model-choice.ts";
import type { AgentDefinition } from "../../accounts/account-types.ts";
import { defaultContextTokens } from "../../agent/turn/history/context-window.ts";
import type { LimitReason, RunLimits } from "../../agent/turn/turn-limits.ts";
import { ServiceError } from "../../errors.ts";

/** What a create chose for its run. It applies to all turns, at or below what the agent allows when they begin. */
export interface ChosenSettings {
  /** Name of one of the agent's `runModels`. */
  model?: string;
  /** Limits of each turn. */
  limits?: RunLimits;
  /** Limits of all turns together. */
  runLimits?: RunLimits;
}

/** The definition with what the run chose. `problem`: why the agent does not allow it, as a sentence. */
export function withChosen(
  definition: AgentDefinition,
  chosen: ChosenSettings | undefined,
): { definition: AgentDefinition } | { problem: string } {
  if (!chosen) return { definition };
  const { model, limits, runLimits } = chosen;
  const changed = model === undefined ? definition : withModel(definition, model);
  if (!changed) return { problem: `the model ${JSON.stringify(model)} was chosen, and ${acceptedModels(definition)}` };
  if (!changed.prices && (limits?.dollars ?? runLimits?.dollars) !== undefined) {
    return { problem: "a limit in dollars was chosen, and the agent file has no prices, which it requires" };
  }
  return { definition: withLowerLimits(changed, chosen) };
}

/**
 * The definition with what a create chooses. Throws unless the agent allows it: a model of its `runModels`, and limits at or below
 * its own.
 */
export function requireChoosable(definition: AgentDefinition, chosen: ChosenSettings): AgentDefinition {
  const { limits = {}, runLimits = {} } = chosen;
  const problems = [
    ...higherLimits("limits.turn", limits, definition.limits),
    ...higherLimits("limits.run", runLimits, definition.runLimits ?? {}),
  ];
  const changed = withChosen(definition, chosen);
  if ("problem" in changed) problems.push(changed.problem);
  if (problems.length > 0) throw new ServiceError("invalid_argument", problems.join("; "));
  return "problem" in changed ? definition : changed.definition;
}

/** The limits with those that a run chose, where they are lower. Undefined limits of the turn: unknown. */
export function withLowerLimits<Limited extends Partial<Pick<AgentDefinition, "limits" | "runLimits">>>(
  limited: Limited,
  chosen: ChosenSettings | undefined,
): Limited {
  const { limits, runLimits } = limited;
  if (!chosen || !limits) return limited;
  const ofRun = lower(runLimits ?? {}, chosen.runLimits);
  return {
    ...limited,
    limits: lower(limits, chosen.limits),
    ...((runLimits ?? chosen.runLimits) && { runLimits: ofRun }),
  };
}

/** The definition with another first model. Undefined: the agent does not offer it. */
function withModel(definition: AgentDefinition, name: string): AgentDefinition | undefined {
  const choice = runModelOf(definition, name);
  if (!choice) return undefined;
  const { model: _m, modelConfiguration: _c, parameters: _p, prices: _pr, contextTokens: _t, ...more } = definition;
  const { fallback, ...others } = more;
  const isFallback = fallback?.model === choice.model && fallback?.modelConfiguration === choice.modelConfiguration;
  if (!fallback || isFallback) return { ...others, ...choice };
  // The defaults of the fallback are those of the agent's model, not of the chosen one.
  const second = { parameters: {}, contextTokens: defaultContextTokens, ...fallbackOf(definition) };
  return { ...others, ...choice, fallback: second };
}

function acceptedModels({ runModels = [] }: AgentDefinition): string {
  const names = runModels.map(({ name }) => name);
  return names.length === 0
    ? "the agent offers none: an operator names those that runs may choose in runModels of the agent file"
    : `the agent offers ${names.join(", ")} (runModels of the agent file)`;
}

function higherLimits(field: string, chosen: RunLimits, agent: RunLimits): string[] {
  return limitsIn(chosen).flatMap(([name, limit]) => {
    const most = agent[name];
    if (most === undefined || limit <= most) return [];
    return [`${field}.${name} is ${limit}, and the agent's is ${most}; at most that is accepted`];
  });
}

function lower<Limits extends RunLimits>(limits: Limits, chosen: RunLimits = {}): Limits {
  const lowered = limitsIn(chosen).map(([name, limit]) => [name, Math.min(limit, limits[name] ?? limit)]);
  return { ...limits, ...Object.fromEntries(lowered) };
}

function limitsIn(limits: RunLimits): [LimitReason, number][] {
  return Object.entries(limits) as [LimitReason, number][];
}

import { withLowerLimits } from "../runs/chosen-settings.ts";
import { withOwnSchema } from "../runs/result-schema.ts";
import type { AgentDefinition } from "../accounts/types.ts";
import { beginRun } from "../runs/begin.ts";
import { stamped } from "../runs/events.ts";
import type { Stores, Workflow } from "../runs/ports.ts";
import { turnRecord } from "../runs/read/turn-record.ts";
import { transitions } from "../runs/status.ts";
import { encodeConfiguration } from "../runs/turn-configuration.ts";
import type { Run, RunJournalEntry, TurnMessage } from "../runs/types.ts";
import type { TrialPlace } from "../agent/turn/journal.ts";
import { recordedRunDeleted } from "./erase-trials.ts";
import { configurationOf, contentLost, filesBefore } from "./inspect-turn.ts";
import { filesOfRecord } from "./recorded-calls.ts";
import { ownerOfCases, ownerOfRuns } from "./trial-id.ts";
import { withTier } from "./tier.ts";
import type { ArmName, Trial, TrialBudget, TrialCase, TriedConfiguration } from "./types.ts";

export interface StartDeps extends Pick<Stores, "runs" | "workspace" | "configurations"> {
  workflow: Workflow;
  now: () => number;
}

/** What an attempt at a case starts with. `budget`: limits of its turn. */
export interface ArmStart {
  place: TrialPlace & { arm: ArmName };
  runId: string;
  budget: TrialBudget;
}

/**
 * Creates the run of an attempt at a case, with the conversation and the files that the recorded turn began with, and starts it.
 * Idempotent. Resolves with why the turn cannot be tried, as a sentence.
 */
export async function startArm(
  deps: StartDeps,
  trial: Trial,
  one: TrialCase,
  start: ArmStart,
): Promise<{ cannotBeTried: string } | undefined> {
  const { workflow } = deps;
  const { runId } = start;
  const { turn } = one.source;
  const problem = await createOnce(deps, runId, () => createArm(deps, trial, one, start));
  if (problem !== undefined) return { cannotBeTried: problem };
  // Places go round by organization and agent: a trial waits as one more agent of its organization.
  await workflow.start(runId, turn, { agentId: trial.id, organizationId: trial.organizationId });
  return undefined;
}

/** Creates a run of a trial unless it exists. Resolves with what `create` does, as the reason why it cannot be created. */
export async function createOnce(
  { runs }: Pick<StartDeps, "runs">,
  runId: string,
  create: () => Promise<string | undefined>,
): Promise<string | undefined> {
  if (await runs.head(runId)) return undefined;
  return create().catch(async (error: unknown) => {
    if (!(await runs.head(runId))) throw error;
    return undefined; // another process has created it meanwhile
  });
}

async function createArm(
  deps: StartDeps,
  trial: Trial,
  { source }: TrialCase,
  { place, runId, budget }: ArmStart,
): Promise<string | undefined> {
  const { runs, workspace, configurations, now } = deps;
  const origin = await runs.head(source.runId);
  if (!origin?.name) return recordedRunDeleted;
  const record = await turnRecord(deps, source.runId, source.turn);
  const configuration = await configurationOf(deps, ownerOfCases(trial), record);
  if (typeof configuration === "string") return configuration;
  const { mode } = trial;
  const settings =
    mode === "replay"
      ? encodeConfiguration(configuration)
      : await settingsOfArm(deps, trial, origin, { place, budget });
  if (!settings) return "The schema of the run's results is no longer kept.";
  const before = await filesBefore(deps, source, mode);
  if (typeof before === "string") return before;
  const files = [...before, ...filesOfRecord(mode, record.entries, configuration)];
  const contents = new Set(files.flatMap(({ sha256 }) => sha256 ?? []));
  const missing = await workspace.link(source.runId, runId, [...contents]);
  const lost = files.find(({ sha256 = "" }) => missing.includes(sha256));
  if (lost) return contentLost(lost.name);
  await configurations.put(trial.id, settings);
  const at = now();
  const copied: RunJournalEntry = { turn: 0, step: 0, part: "forked", from: source.runId };
  // Readers on AWS expect an entry of each turn.
  const events = record.transcript.flatMap((message): (TurnMessage | RunJournalEntry)[] => {
    if (message.role === "output_from_agent") return [message];
    const { turn } = message;
    return [
      message,
      turn < source.turn
        ? { ...copied, turn }
        : { ...copied, turn, settings: settings.hash, trial: { ...place, ...(mode && { mode }) } },
    ];
  });
  const numbered = stamped(events, { sequence: 0, at });
  const run = beginRun(
    {
      id: runId,
      ...ownerOfRuns(trial.id),
      name: origin.name,
      status: transitions.createdWithInput.to,
      turn: source.turn,
      sequence: numbered.length,
    },
    at,
  );
  const messages = numbered.filter((event) => "role" in event);
  await runs.create(run, messages, {
    uploads: before,
    entries: numbered.filter((event) => "part" in event),
    ...(record.summary && { summary: record.summary }),
  });
  return undefined;
}

/** What an attempt runs on. Undefined: the schema of the results of its run is no longer kept. */
async function settingsOfArm(
  { configurations }: Pick<StartDeps, "configurations">,
  trial: Trial,
  origin: Run,
  { place, budget }: Pick<ArmStart, "place" | "budget">,
): Promise<ReturnType<typeof settingsOf> | undefined> {
  const own = await withOwnSchema(configurations, trial[place.arm].definition, origin);
  if (!own) return undefined;
  const definition = withTier(withLowerLimits(own, origin.chosen), trial.settings);
  return settingsOf({ ...trial[place.arm], definition }, budget);
}

/** What a run of a trial runs on, within a budget. */
export function settingsOf(tried: TriedConfiguration, budget: TrialBudget) {
  const { definition, provider, fallbackProvider, mcpToolPolicy } = tried;
  return encodeConfiguration({
    agent: withinBudget(definition, budget),
    ...(provider && { provider }),
    ...(fallbackProvider && { fallbackProvider }),
    ...(mcpToolPolicy && { mcpToolPolicy }),
    offered: [],
  });
}

/** The definition with limits of its turn that are no higher than the budget. */
function withinBudget(definition: AgentDefinition, { dollars, tokens }: TrialBudget): AgentDefinition {
  const { limits } = definition;
  return {
    ...definition,
    limits: {
      ...limits,
      ...(dollars !== undefined && { dollars: Math.min(dollars, limits.dollars ?? dollars) }),
      ...(tokens !== undefined && { tokens: Math.min(Math.floor(tokens), limits.tokens) }),
    },
  };
}

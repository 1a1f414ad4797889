import type { AgentDefinition } from "../accounts/account-types.ts";
import type { FileVersion } from "../agent/turn/files/manifest.ts";
import { beginRun } from "../runs/begin/begin.ts";
import { withLowerLimits } from "../runs/begin/chosen-settings.ts";
import { stamped } from "../runs/events.ts";
import type { Stores, Workflow } from "../runs/ports.ts";
import { turnRecord, type TurnRecord } from "../runs/read/turn-record.ts";
import { withOwnSchema } from "../runs/begin/result-schema.ts";
import { transitions } from "../runs/status.ts";
import { type EncodedConfiguration, encodeConfiguration } from "../runs/turn-configuration.ts";
import type { RunJournalEntry, TurnMessage } from "../runs/run-types.ts";
import { configurationOf, contentLost, filesBefore, recordedRunDeleted } from "./cases/inspect-turn.ts";
import { questionFor } from "./judge.ts";
import type { TrialPlace } from "./cases/open-case.ts";
import type { Trials } from "./ports.ts";
import { filesFromOutside } from "./cases/recorded-calls.ts";
import { ownerOfCases, ownerOfRuns } from "./trial-id.ts";
import {
  type AttemptName,
  isVote,
  type Trial,
  type TrialBudget,
  type TrialCase,
  type TrialSettings,
  type TriedConfiguration,
  type TriedName,
  type VoteName,
} from "./trial-types.ts";

export interface StartDeps extends Pick<Stores, "runs" | "workspace" | "configurations"> {
  trials: Trials;
  workflow: Workflow;
  now: () => number;
}

/** The turn of a vote's run. */
const turnOfVote = 1;

/** Creates the run of an attempt that is stored, and starts it. Idempotent. Resolves with why it cannot be made, as a sentence. */
export async function startAttempt(
  deps: StartDeps,
  trial: Trial,
  one: TrialCase,
  name: AttemptName,
): Promise<string | undefined> {
  const { runs, workflow } = deps;
  const attempt = one[name];
  if (!attempt) throw new Error(`case ${one.number} of trial ${trial.id} has no attempt ${name}`);
  const { runId, budget } = attempt;
  if (!(await runs.head(runId))) {
    const problem = await create(deps, trial, one, { name, runId, budget }).catch(async (error: unknown) => {
      if (!(await runs.head(runId))) throw error;
      return undefined; // another process has created it meanwhile
    });
    if (problem !== undefined) return problem;
  }
  const turn = isVote(name) ? turnOfVote : one.source.turn;
  // Places go round by organization and agent: a trial waits as one more agent of its organization.
  await workflow.start(runId, turn, { agentId: trial.id, organizationId: trial.organizationId });
  return undefined;
}

interface NewAttempt<Name = AttemptName> {
  name: Name;
  runId: string;
  budget: TrialBudget;
}

/** What the run of an attempt begins with. */
interface Beginning extends Pick<TurnRecord, "transcript" | "summary"> {
  /** Of the run. */
  name: string;
  turn: number;
  settings: EncodedConfiguration;
  uploads: FileVersion[];
}

async function create(deps: StartDeps, trial: Trial, one: TrialCase, attempt: NewAttempt): Promise<string | undefined> {
  const { runs, configurations, now } = deps;
  const { name, runId, budget } = attempt;
  const beginning = isVote(name)
    ? await beginningOfVote(deps, trial, one, { name, runId, budget })
    : await beginningOfTurn(deps, trial, one, { name, runId, budget });
  if (typeof beginning === "string") return beginning;
  const { turn, settings, transcript, summary, uploads } = beginning;
  await configurations.put(trial.id, settings);
  const at = now();
  const place: TrialPlace = { case: one.number, arm: name };
  const copied = { step: 0, part: "forked", from: one.source.runId } as const;
  // Readers on AWS expect an entry of each turn.
  const events = transcript.flatMap((message): (TurnMessage | RunJournalEntry)[] => {
    if (message.role === "output_from_agent") return [message];
    const mark = message.turn === turn && { settings: settings.hash, trial: { ...place } };
    return [message, { turn: message.turn, ...copied, ...mark }];
  });
  const numbered = stamped(events, { sequence: 0, at });
  const status = transitions.createdWithInput.to;
  const own = { id: runId, ...ownerOfRuns(trial.id), name: beginning.name, status, turn, sequence: numbered.length };
  const messages = numbered.filter((event) => "role" in event);
  const entries = numbered.filter((event) => "part" in event);
  await runs.create(beginRun(own, at), messages, { uploads, entries, ...(summary && { summary }) });
  return undefined;
}

/** The conversation and the files that the recorded turn began with. A text says why they are not known. */
async function beginningOfTurn(
  deps: StartDeps,
  trial: Trial,
  { source }: TrialCase,
  { name, runId, budget }: NewAttempt<TriedName>,
): Promise<Beginning | string> {
  const { runs, workspace, configurations } = deps;
  const origin = await runs.head(source.runId);
  if (!origin?.name) return recordedRunDeleted;
  const record = await turnRecord(deps, source.runId, source.turn);
  const configuration = await configurationOf(deps, ownerOfCases(trial), record);
  if (typeof configuration === "string") return configuration;
  const own = await withOwnSchema(configurations, trial[name].definition, origin);
  if (!own) return "The schema of the run's results is no longer kept.";
  const settings = settingsOf(trial, { ...trial[name], definition: withLowerLimits(own, origin.chosen) }, budget);
  const uploads = await filesBefore(deps, source);
  if (typeof uploads === "string") return uploads;
  const files = [...uploads, ...filesFromOutside(record.entries, configuration)];
  const contents = new Set(files.flatMap(({ sha256 }) => sha256 ?? []));
  const missing = await workspace.link(source.runId, runId, [...contents]);
  const lost = files.find(({ sha256 = "" }) => missing.includes(sha256));
  if (lost) return contentLost(lost.name);
  return { ...record, name: origin.name, turn: source.turn, settings, uploads };
}

/** The question to the judge. A text says why it cannot be asked. */
async function beginningOfVote(
  deps: StartDeps,
  trial: Trial,
  one: TrialCase,
  { name, runId, budget }: NewAttempt<VoteName>,
): Promise<Beginning | string> {
  if (!trial.judge) throw new Error(`trial ${trial.id} has no judge`);
  const question = await questionFor(deps, one, name, runId);
  if ("refused" in question) return question.refused;
  return {
    name: `Vote on case ${one.number}`,
    turn: turnOfVote,
    settings: settingsOf(trial, trial.judge, budget),
    transcript: [{ turn: turnOfVote, role: "input_to_agent", text: question.text }],
    uploads: [],
  };
}

/** What a run of a trial runs on, within a budget. */
function settingsOf({ settings }: Trial, tried: TriedConfiguration, budget: TrialBudget): EncodedConfiguration {
  const { definition, provider, fallbackProvider, mcpToolPolicy } = tried;
  return encodeConfiguration({
    agent: withinBudget(withTier(definition, settings), budget),
    ...(provider && { provider }),
    ...(fallbackProvider && { fallbackProvider }),
    ...(mcpToolPolicy && { mcpToolPolicy }),
    offered: [],
  });
}

/** A definition as a trial asks its model. Its fallback is asked without a tier, unless it has one of its own. */
function withTier(definition: AgentDefinition, { tier }: Pick<TrialSettings, "tier">): AgentDefinition {
  if (tier === undefined) return definition;
  return { ...definition, parameters: { ...definition.parameters, serviceTier: tier } };
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

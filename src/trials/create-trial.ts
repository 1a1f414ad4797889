import { findAgent, findAgentVersion, requireNotDeleted } from "../accounts/agents/agents.ts";
import { type Actor, along } from "../accounts/audit.ts";
import { definitionHash, definitionOf } from "../accounts/agents/definition.ts";
import { requireModelsRunning } from "../accounts/model-stop.ts";
import { findOrganization } from "../accounts/organizations.ts";
import type { Agent, AgentDefinition, Organization } from "../accounts/account-types.ts";
import { flexServers, hasFlexTier } from "../agent/models/openai/flex-tier.ts";
import { modelProblem } from "../agent/models/model-config.ts";
import type { Secrets } from "../agent/secret.ts";
import { semaphore } from "../async/semaphore.ts";
import { settleAll } from "../async/settle-all.ts";
import { ServiceError } from "../errors.ts";
import type { Stores } from "../runs/ports.ts";
import { configuredIn } from "../runs/turn-configuration.ts";
import { assertionProblem } from "./assertions.ts";
import { destinationsOf, modelHost } from "./destinations.ts";
import { estimateUse, refusalOfBudget } from "./estimate.ts";
import { type InspectedTurn, inspectTurn } from "./cases/inspect-turn.ts";
import { judgeDefinition } from "./judge.ts";
import { maxCases } from "./names.ts";
import type { Trials } from "./ports.ts";
import { type CaseSelection, selectTurns } from "./cases/select-cases.ts";
import { newTrialId } from "./trial-id.ts";
import type {
  TriedName,
  OutsideRules,
  Trial,
  TrialCase,
  TrialJudge,
  TrialSettings,
  TriedConfiguration,
} from "./trial-types.ts";

export interface CreateTrialDeps
  extends Pick<Stores, "accounts" | "runs" | "workspace" | "configurations">, Pick<Secrets, "secretRefusal"> {
  trials: Trials;
  now: () => number;
  /** The operator. */
  actor?: Actor;
}

/** What is tried: a draft, or a version that the agent has. */
export type Candidate = { definition: AgentDefinition } | { version: number };

/** What judges: an agent of the same organization with its current definition, or a definition. */
export type JudgeChoice = { agentId: string } | { definition: AgentDefinition };

export interface NewTrial {
  candidate: Candidate;
  judge?: JudgeChoice;
  cases: CaseSelection;
  settings: TrialSettings;
}

/** Turns that are read at the same time. */
const readAtOnce = 8;

/**
 * Creates a trial: selects its cases, says which of them cannot be tried and why, what it will cost, and what goes to which host.
 * Nothing is called before it is started. Rejects with a sentence for a candidate, cases or settings that cannot be used.
 */
export async function createTrial(
  deps: CreateTrialDeps,
  agentId: string,
  { candidate: given, judge: chosen, cases: selection, settings }: NewTrial,
): Promise<{ trial: Trial; cases: TrialCase[] }> {
  const { accounts, trials, now, actor } = deps;
  const agent = requireNotDeleted(await findAgent(accounts, agentId));
  const organization = await findOrganization(accounts, agent.organizationId);
  requireModelsRunning(organization);
  const definition = definitionOf(agent);
  const current = { definition, ...(agent.version !== undefined && { version: agent.version }) };
  const control = triedConfiguration(current, organization);
  const candidate = triedConfiguration(await candidateOf(deps, agent, given), organization);
  const judge = chosen && (await judgeOf(deps, organization, chosen));
  const planned = { candidate, control, ...(judge && { judge }), settings };
  await requireUsable(deps, { ...planned, organizationId: organization.id });
  const { turns, suite } = await selectTurns(deps, agent.id, selection);
  if (turns.length > maxCases) throw invalid(`${turns.length} turns were selected; a trial tries at most ${maxCases}`);
  const limited = semaphore(readAtOnce);
  const inspected = await settleAll(turns.map((turn) => limited(() => inspectTurn(deps, turn))));
  const id = newTrialId();
  const at = now();
  const cases = inspected.map((turn, index) => caseOf(id, index + 1, turn, judge !== undefined));
  const trial: Trial = {
    id,
    agentId: agent.id,
    organizationId: agent.organizationId,
    ...(suite && { suite }),
    ...(actor !== undefined && { createdBy: actor }),
    createdAt: at,
    updatedAt: at,
    revision: 0,
    status: "estimated",
    ...planned,
    estimate: { ...estimateUse(planned, cases), sends: destinationsOf(planned, inspected) },
    cases: cases.length,
  };
  const audited = along(actor, "trial.create", id, at, { organizationId: agent.organizationId });
  await trials.create(trial, cases, audited);
  return { trial, cases };
}

async function candidateOf({ accounts }: CreateTrialDeps, agent: Agent, given: Candidate) {
  if ("definition" in given) return given;
  const { definition, version } = await findAgentVersion(accounts, agent.id, given.version);
  return { definition, version };
}

async function judgeOf(
  { accounts }: Pick<CreateTrialDeps, "accounts">,
  organization: Organization,
  chosen: JudgeChoice,
): Promise<TrialJudge> {
  if ("definition" in chosen) return judgeConfiguration(chosen.definition, organization);
  const agent = requireNotDeleted(await findAgent(accounts, chosen.agentId));
  if (agent.organizationId !== organization.id) {
    throw invalid(`judge: agent ${agent.id} belongs to another organization; choose an agent of ${organization.id}`);
  }
  const { id: agentId, version } = agent;
  const judge = judgeConfiguration(definitionOf(agent), organization);
  return { ...judge, agentId, ...(version !== undefined && { version }) };
}

/** The hash is that of the definition as it is saved. */
function judgeConfiguration(definition: AgentDefinition, organization: Organization): TrialJudge {
  return {
    ...triedConfiguration({ definition: judgeDefinition(definition) }, organization),
    hash: definitionHash(definition),
  };
}

/** A definition as turns of the organization run on it. The hash is that of the definition as it is saved. */
function triedConfiguration(
  { definition, version }: { definition: AgentDefinition; version?: number },
  organization: Organization,
): TriedConfiguration {
  const { agent, ...more } = configuredIn(organization, definition);
  return { definition: agent, hash: definitionHash(definition), ...more, ...(version !== undefined && { version }) };
}

async function requireUsable(
  { secretRefusal }: CreateTrialDeps,
  trial: Pick<Trial, TriedName | "judge" | "settings" | "organizationId">,
): Promise<void> {
  const { organizationId, settings, judge } = trial;
  const { definition } = trial.candidate;
  for (const [name, tried] of [["", trial.candidate] as const, ...(judge ? [["judge: ", judge] as const] : [])]) {
    const noModel = modelProblem(tried.provider, (secret, url) =>
      secretRefusal(secret, { organizationId, purpose: "model", url }),
    );
    if (noModel !== undefined) throw new ServiceError("no_model", `${name}${noModel}`);
  }
  const noTier = refusalOfTier(trial);
  if (noTier !== undefined) throw invalid(noTier);
  const noBudget = refusalOfBudget(settings.budget, trial);
  if (noBudget !== undefined) throw invalid(noBudget);
  const noRule = outsideProblem(settings.outside, definition);
  if (noRule !== undefined) throw invalid(noRule);
  for (const [index, assertion] of settings.assertions.entries()) {
    const problem = await assertionProblem(assertion, definition);
    if (problem !== undefined) throw invalid(`assertion ${index + 1}: ${problem}`);
  }
}

/** Why the models of a trial cannot be asked with its tier, as a sentence. Undefined: they can, or it has none. */
function refusalOfTier({
  candidate,
  control,
  judge,
  settings,
}: Pick<Trial, TriedName | "judge" | "settings">): string | undefined {
  if (settings.tier === undefined) return undefined;
  const asked = [candidate, ...(settings.control > 0 ? [control] : []), ...(judge ? [judge] : [])];
  const without = asked.find(({ provider }) => provider && !hasFlexTier(provider))?.provider;
  if (!without) return undefined;
  const server = without.provider === "demo" ? "the demo model" : modelHost(without);
  return `tier: ${server} is not known to have ${settings.tier}; known are ${flexServers}. Leave out the tier, or set parameters.serviceTier and prices of the agent if the server has it.`;
}

/** Why a rule for calls that leave the service cannot be used. */
function outsideProblem(
  { tools = {} }: OutsideRules,
  { mcp = [], clientTools = [] }: AgentDefinition,
): string | undefined {
  const answered = new Set(["ask_person", ...clientTools.map(({ name }) => name)]);
  for (const [name, rule] of Object.entries(tools)) {
    const ofServer = mcp.some((server) => name.startsWith(`${server.name}__`));
    if (!ofServer && !answered.has(name) && name !== "web_fetch") {
      return `outside.tools has a rule for ${JSON.stringify(name)}, which is no tool of the candidate whose calls leave the service; those are web_fetch, ask_person, client tools, and SERVER__TOOL of MCP servers`;
    }
    if (rule === "live" && answered.has(name)) {
      return `outside.tools has the rule live for ${JSON.stringify(name)}, which waits for somebody's answer; accepted are stop, error and a fixed text`;
    }
  }
  return undefined;
}

function caseOf(
  trialId: string,
  number: number,
  { run, turn, used, input, characters, cannotBeTried }: InspectedTurn,
  isJudged: boolean,
): TrialCase {
  const source = { runId: run.id, turn, used, input, ...(isJudged && { characters }) };
  return { trialId, number, revision: 0, source, ...(cannotBeTried !== undefined && { cannotBeTried }) };
}

function invalid(message: string): ServiceError {
  return new ServiceError("invalid_argument", message);
}

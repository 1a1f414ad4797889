import { definitionProblems } from "../../accounts/agents/agent-definition.ts";
import { findAgentVersion } from "../../accounts/agents/agents.ts";
import { definitionOf } from "../../accounts/agents/definition.ts";
import type { Agent, AgentDefinition, Organization } from "../../accounts/account-types.ts";
import { withHosts } from "../../accounts/agents/web-fetch-hosts.ts";
import { ServiceError } from "../../errors.ts";
import type { Uses } from "../ports.ts";
import { requireModel } from "../begin/require-model.ts";
import { withChosen } from "../begin/chosen-settings.ts";
import { withOwnSchema } from "../begin/result-schema.ts";
import {
  type ConfiguredAgent,
  configuredIn,
  decodeConfiguration,
  encodeConfiguration,
  type EncodedConfiguration,
  forkedSettings,
  referenceIn,
} from "../turn-configuration.ts";
import type { Run, RunJournalEntry } from "../run-types.ts";

/** Fields of what the turn ran on that a fork changes. */
export type ChangedFields = { [Field in "model" | "instructions" | "tools"]?: AgentDefinition[Field] | undefined };

/** What a fork changes of what its turn runs on: some fields, or all with a draft or a version of the agent. */
export type SettingsChanges = ChangedFields | { definition: AgentDefinition } | { version: number };

/** The turn that is forked. `entries`: of the turn. `step`: 0: it begins anew. */
interface ForkedTurn {
  run: Run;
  agent: Agent;
  organization: Organization | undefined;
  entries: RunJournalEntry[];
  step: number;
}

/**
 * What the fork runs on from its point. Undefined: on what the copied entries name, or what the agent is now. Rejects for a
 * change that gives no valid definition, and for a model that cannot be used.
 */
export async function settingsOfFork(
  deps: Uses<"accounts" | "configurations" | "secretRefusal">,
  forked: ForkedTurn,
  changes: SettingsChanges,
): Promise<EncodedConfiguration | undefined> {
  const settings = await changedSettings(deps, forked, changes);
  if (!settings) return undefined;
  requireModel(deps, forked.run.organizationId, settings.provider, settings.agent.modelConfiguration);
  return encodeConfiguration({ ...settings, offered: [] });
}

async function changedSettings(
  deps: Uses<"accounts" | "configurations" | "secretRefusal">,
  { run, agent, organization, entries, step }: ForkedTurn,
  given: SettingsChanges,
): Promise<ConfiguredAgent | undefined> {
  const changes = run.imported ? ofAgent(agent, given) : given;
  if ("definition" in changes || "version" in changes) {
    const named = "definition" in changes ? changes : await findAgentVersion(deps.accounts, agent.id, changes.version);
    const own = await withOwnSchema(deps.configurations, named.definition, run);
    if (!own) throw invalid(`the schema of the results of run ${run.id} is no longer kept, so it cannot be forked`);
    const chosen = withChosen(own, run.chosen);
    if ("problem" in chosen) throw invalid(`run ${run.id} cannot continue with this definition: ${chosen.problem}`);
    return configuredIn(organization, chosen.definition);
  }
  const fields = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  const isChanged = Object.keys(fields).length > 0;
  if (!isChanged && step > 0) return undefined;
  const recorded = await recordedSettings(deps, run.agentId, entries);
  if (!recorded) {
    if (!isChanged) return undefined;
    throw invalid(
      `what turn ${entries[0]?.turn ?? run.turn} of run ${run.id} ran on is not recorded or no longer kept; fork it with a whole definition or a version of the agent`,
    );
  }
  const definition = withFields(recorded.agent, fields);
  return { ...recorded, agent: withHosts(definition, organization?.webFetchHosts) };
}

/**
 * The changes of a fork of an imported run, which are always those of a whole definition: its record names servers and secrets
 * that nobody here has entered.
 */
function ofAgent(agent: Agent, changes: SettingsChanges): Exclude<SettingsChanges, ChangedFields> {
  if ("definition" in changes || "version" in changes) return changes;
  const fields = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  return { definition: withFields(definitionOf(agent), fields) };
}

/** What the last of the entries ran on, without what is opened anew: environment and tools. */
async function recordedSettings(
  { configurations }: Uses<"configurations">,
  agentId: string,
  entries: RunJournalEntry[],
): Promise<ConfiguredAgent | undefined> {
  const hash = referenceIn(entries)?.configuration ?? forkedSettings(entries);
  const text = hash === undefined ? undefined : await configurations.get(agentId, hash);
  if (text === undefined) return undefined;
  const { offered: _, environment: __, ...settings } = decodeConfiguration(text);
  return settings;
}

/** The definition with other fields. Another model has other prices, which only a whole definition can name. */
function withFields(before: AgentDefinition, fields: Partial<AgentDefinition>): AgentDefinition {
  if (fields.model === undefined || fields.model === before.model) return checked({ ...before, ...fields });
  const { prices: _, runModels: ___, fallback, ...others } = before;
  const { prices: __, ...second } = fallback ?? {};
  return checked({ ...others, ...fields, ...(fallback && { fallback: second }) });
}

function checked(definition: AgentDefinition): AgentDefinition {
  const problems = definitionProblems(definition);
  if (problems.length === 0) return definition;
  throw invalid(`${problems.join("; ")}; fork the run with a whole definition that has all of it`);
}

function invalid(message: string): ServiceError {
  return new ServiceError("invalid_argument", message);
}

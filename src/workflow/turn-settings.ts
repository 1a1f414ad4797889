import { definitionOf } from "../accounts/agents/definition.ts";
import type { Accounts, AgentDefinition, Organization } from "../accounts/account-types.ts";
import type { Failure, ModelConfiguration } from "../agent/model.ts";
import type { OfferedTool, Tool } from "../agent/tools/tool.ts";
import type { McpToolRule } from "../agent/ask-kinds.ts";
import type { TurnOutcome } from "../agent/turn/turn-types.ts";
import type { Stores } from "../runs/ports.ts";
import { withChosen } from "../runs/begin/chosen-settings.ts";
import { withOwnSchema } from "../runs/begin/result-schema.ts";
import { retryWhileUnavailable } from "../runs/control/retry-unavailable.ts";
import {
  configuredIn,
  decodeConfiguration,
  forkedSettings,
  referenceIn,
  type UsedEnvironment,
} from "../runs/turn-configuration.ts";
import type { RunJournalEntry, RunState } from "../runs/run-types.ts";
import { encodedConfiguration } from "./encoded-configurations.ts";

/** What a turn runs on. `offered`: the tools that earlier invocations offered. Absent: none recorded an answer. */
export interface TurnSettings {
  agent: AgentDefinition;
  agentVersion?: number;
  /** Absent: the organization has no model, or none of the name in the agent. */
  provider?: ModelConfiguration;
  /** The same for the agent's fallback. */
  fallbackProvider?: ModelConfiguration;
  /** What the turn's programs run in. Absent: no tool needs it, or there is none. */
  environment?: UsedEnvironment;
  /** The organization's rule for tools of MCP servers with effects. Absent: `allow`, or the agent has none. */
  mcpToolPolicy?: McpToolRule;
  offered?: OfferedTool[];
}

type Deps = Pick<Stores, "accounts" | "configurations">;

/**
 * Reads what the current turn runs on.
 * - A turn with a recorded configuration runs on it to its end.
 * - A fork that changed the configuration runs on it, with tools that are opened anew.
 * - Otherwise it runs on the version of the agent that its input names, or else the current one, and on the
 *   organization's current models, hosts of `web_fetch` and rule for tools of MCP servers. A run's own schema of results replaces the agent's,
 *   and so do the model and the lower limits that it chose.
 *
 * `reading`: the organization of the run, if its read has begun.
 */
export async function findSettings(
  { accounts, configurations }: Deps,
  { run, journal, agentVersion }: Pick<RunState, "run" | "journal" | "agentVersion">,
  reading?: Promise<Organization | undefined>,
): Promise<TurnSettings | { failure: Failure }> {
  const reference = referenceIn(journal);
  if (reference) {
    const text = await configurations.get(run.agentId, reference.configuration);
    return text === undefined ? { failure: configurationMissing } : decodeConfiguration(text);
  }
  const forked = forkedSettings(journal);
  if (forked !== undefined) {
    const text = await configurations.get(run.agentId, forked);
    if (text === undefined) return { failure: configurationMissing };
    const { offered: _, ...settings } = decodeConfiguration(text);
    return settings;
  }
  const [agent, organization] = await Promise.all([
    agentVersion === undefined ? currentAgent(accounts, run.agentId) : pinnedAgent(accounts, run.agentId, agentVersion),
    reading ?? accounts.findOrganization(run.organizationId),
  ]);
  if (!agent) return { failure: agentVersion === undefined ? agentNotFound : versionMissing(agentVersion) };
  const own = run.resultSchema === undefined ? agent.agent : await withOwnSchema(configurations, agent.agent, run);
  if (!own) return { failure: configurationMissing };
  const chosen = withChosen(own, run.chosen);
  if ("problem" in chosen) return { failure: notAllowedAnyMore(chosen.problem) };
  return { ...agent, ...configuredIn(organization, chosen.definition) };
}

type AgentOfTurn = Pick<TurnSettings, "agent" | "agentVersion"> | undefined;

async function pinnedAgent(accounts: Accounts, id: string, agentVersion: number): Promise<AgentOfTurn> {
  const found = await accounts.findAgentVersion(id, agentVersion);
  return found && { agent: found.definition, agentVersion };
}

async function currentAgent(accounts: Accounts, id: string): Promise<AgentOfTurn> {
  const agent = await accounts.findAgent(id);
  if (!agent) return undefined;
  return { agent: definitionOf(agent), ...(agent.version !== undefined && { agentVersion: agent.version }) };
}

/** How an invocation writes journal entries. `outcome`: completes the last answer, which the caller writes. */
export interface EntryWriter {
  record: (entry: RunJournalEntry) => Promise<boolean>;
  outcome: (outcome: TurnOutcome) => Promise<TurnOutcome>;
}

/** For a turn whose configuration is recorded. */
export function plainWriter(record: EntryWriter["record"]): EntryWriter {
  return { record, outcome: async (outcome) => outcome };
}

/**
 * Stores the turn's configuration, and adds its hash to the first answer or summary that is recorded. The configuration is
 * stored during the first model call, so that no call waits for it. It is durable before the entry that refers to it.
 * Failed calls only name it as `tried`: until a model has answered, a turn can be saved by a change of the organization's model.
 */
export function referencingWriter(
  { configurations }: Deps,
  settings: TurnSettings,
  tools: Tool[],
  agentId: string,
  record: EntryWriter["record"],
): EntryWriter {
  const { agentVersion } = settings;
  const configuration = encodedConfiguration(configurations, agentId, settings, tools);
  const reference = { configuration: configuration.hash, ...(agentVersion !== undefined && { agentVersion }) };
  const stored = retryWhileUnavailable(() => configurations.put(agentId, configuration));
  stored.catch(() => {}); // awaited with the first entry, if there is one
  let recorded = false;
  return {
    async record(entry) {
      if (recorded || (entry.part === "failed" && !entry.last)) return record(entry);
      await stored;
      if (entry.part === "failed") return record({ ...entry, tried: configuration.hash });
      const accepted = await record({ ...entry, ...reference });
      recorded ||= accepted;
      return accepted;
    },
    async outcome(outcome) {
      if (recorded || !("last" in outcome) || !outcome.last) return outcome;
      await stored;
      return { ...outcome, last: { ...outcome.last, ...reference } };
    },
  };
}

/** Names the release in the first entry that an invocation writes: another release may have written those before. */
export function releaseWriter(writer: EntryWriter, release: string): EntryWriter {
  let isNamed = false;
  const named = <Entry extends { release?: string }>(entry: Entry): Entry => (isNamed ? entry : { ...entry, release });
  return {
    async record(entry) {
      const accepted = await writer.record(named(entry));
      isNamed ||= accepted;
      return accepted;
    },
    async outcome(outcome) {
      const ended = await writer.outcome(outcome);
      return "last" in ended && ended.last ? { ...ended, last: named(ended.last) } : ended;
    },
  };
}

const agentNotFound: Failure = {
  category: "internal",
  title: "The run's agent no longer exists.",
  remedy: "Create a new run with an existing agent.",
  retryable: false,
};

function notAllowedAnyMore(problem: string): Failure {
  return {
    category: "model_configuration",
    title: `The agent does not allow any more what the run chose: ${problem}.`,
    remedy: "Create a new run, or fork this one with a definition that allows it.",
    retryable: false,
  };
}

function versionMissing(version: number): Failure {
  return {
    category: "internal",
    title: `Version ${version} of the agent, which the turn began with, is missing from the store.`,
    remedy: "Create a new run. After a restore, copy the items VERSION#… of the agent, too.",
    retryable: false,
  };
}

const configurationMissing: Failure = {
  category: "internal",
  title: "The configuration that the turn began with is missing from the store.",
  remedy: "Create a new run. After a restore, copy the items CONFIG#… of the agent, too.",
  retryable: false,
};

import { hash } from "node:crypto";
import { withSchema, withSchemaText } from "../accounts/agents/definition.ts";
import { fallbackOf, type ModelChoice } from "../accounts/agents/model-choice.ts";
import { modelConfigurationOf } from "../accounts/model-configurations.ts";
import type { AgentDefinition, Organization } from "../accounts/account-types.ts";
import { withHosts } from "../accounts/agents/web-fetch-hosts.ts";
import type { ModelConfiguration } from "../agent/model.ts";
import type { McpToolRule } from "../agent/ask-kinds.ts";
import type { OfferedTool } from "../agent/tools/tool.ts";
import { canonicalJson } from "../json.ts";
import type { LinuxEngine } from "../sandbox/linux/linux-types.ts";
import type { RunJournalEntry } from "./run-types.ts";

/** The environment in which a turn's programs run. `digest`: of its content, `sha256:` and 64 hex digits. */
export interface UsedEnvironment {
  name: string;
  digest: string;
  engine: LinuxEngine;
}

/**
 * Everything that a turn runs on: the agent's definition, the model of its organization, the environment of its programs,
 * and the tools as they were offered to the model. A turn keeps it to its end. Credentials are references, which are resolved at use.
 */
export interface TurnConfiguration {
  /** `model`: the name of a model that replaces the one in `provider`. */
  agent: AgentDefinition;
  /** The organization's model, or the model configuration that the agent names. */
  provider?: ModelConfiguration;
  /** The same for the agent's fallback. Absent: the agent has none, or its configuration is missing. */
  fallbackProvider?: ModelConfiguration;
  /** Absent: the agent has no tool that needs one, there is none here, or an earlier release recorded the turn. */
  environment?: UsedEnvironment;
  /** The organization's rule for tools of MCP servers with effects. Absent: `allow`, or the agent has none. */
  mcpToolPolicy?: McpToolRule;
  /** In the order in which the model receives them. */
  offered: OfferedTool[];
}

/** A configuration as it is stored. `hash`: SHA-256 (hex) of `text`, which identifies it. */
export interface EncodedConfiguration {
  hash: string;
  text: string;
}

/**
 * The text is JSON with sorted keys. Those of `offered` keep their order, in which providers cache them, and those of the schema
 * of results, which models follow.
 */
export function encodeConfiguration(configuration: TurnConfiguration): EncodedConfiguration {
  const { provider, fallbackProvider, environment, mcpToolPolicy, offered } = configuration;
  const agent = withSchemaText(configuration.agent);
  const text = `{"settings":${canonicalJson({ agent, provider, fallbackProvider, environment, mcpToolPolicy })},"offered":${JSON.stringify(offered)}}`;
  return { hash: hash("sha256", text), text };
}

export function decodeConfiguration(text: string): TurnConfiguration {
  const { settings, offered } = JSON.parse(text) as { settings: EncodedSettings; offered: OfferedTool[] };
  return { ...settings, agent: withSchema<AgentDefinition>(settings.agent), offered };
}

/** What a definition runs on, without what the platform adds when a turn begins. */
export type ConfiguredAgent = Omit<TurnConfiguration, "offered" | "environment">;

/** What a definition runs on in its organization, as it is now. */
export function configuredIn(organization: Organization | undefined, definition: AgentDefinition): ConfiguredAgent {
  const { modelConfiguration, fallback, mcp } = definition;
  const provider = modelConfigurationOf(organization, modelConfiguration);
  const fallbackProvider = fallback && modelConfigurationOf(organization, fallback.modelConfiguration);
  return {
    agent: withHosts(definition, organization?.webFetchHosts),
    ...(provider && { provider }),
    ...(fallbackProvider && { fallbackProvider }),
    ...(organization?.mcpToolPolicy && mcp?.length && { mcpToolPolicy: organization.mcpToolPolicy }),
  };
}

/** A model that a turn asks: what the agent chose, and how it is reached. */
export interface ConfiguredModel {
  choice: ModelChoice;
  provider?: ModelConfiguration;
}

/** The model that calls of a turn ask: the agent's first one, or its fallback. */
export function modelAsked(
  { agent, provider, fallbackProvider }: Pick<TurnConfiguration, "agent" | "provider" | "fallbackProvider">,
  isFallback: boolean,
): ConfiguredModel {
  if (!isFallback) return { choice: agent, ...(provider && { provider }) };
  return { choice: fallbackOf(agent) ?? agent, ...(fallbackProvider && { provider: fallbackProvider }) };
}

type EncodedSettings = Omit<TurnConfiguration, "agent" | "offered"> & {
  agent: ReturnType<typeof withSchemaText<AgentDefinition>>;
};

/** What a turn's journal says about what it runs on. Its first answer or summary has it, unless an earlier release took it. */
export interface ConfigurationReference {
  /** Hash of the configuration of this entry and the following ones. */
  configuration: string;
  /** Absent: the agent was not updated since an earlier release, which kept no versions. */
  agentVersion?: number;
}

/**
 * The reference that applies to the last of the entries. Undefined: an earlier release wrote them, there are none, or a fork
 * changed what the turn runs on, and nothing is recorded since.
 */
export function referenceIn(entries: RunJournalEntry[]): ConfigurationReference | undefined {
  const since = entries.slice(entries.findLastIndex((entry) => changesSettings(entry)) + 1);
  const referring = since.findLast(({ configuration }) => configuration !== undefined);
  if (referring?.configuration === undefined) return undefined;
  const { configuration, agentVersion } = referring;
  return { configuration, ...(agentVersion !== undefined && { agentVersion }) };
}

/** Hash of the configuration that a fork gave the turn, before its tools were opened. Undefined: no fork did. */
export function forkedSettings(entries: RunJournalEntry[]): string | undefined {
  return entries.findLast(changesSettings)?.settings;
}

function changesSettings(entry: RunJournalEntry): entry is RunJournalEntry & { part: "forked"; settings: string } {
  return entry.part === "forked" && entry.settings !== undefined;
}

import type { McpServer } from "../agent/mcp/types.ts";
import type { ModelConfiguration, ModelParameters } from "../agent/model.ts";
import type { Prices, RunLimits, TurnLimits } from "../agent/turn/limits.ts";

/** A record whose replacement is conditional. */
export interface Revised {
  /** Number of times the record was replaced. Absent: 0, as in records of earlier releases. */
  revision?: number;
}

/** Owner of agents. Holds the model configuration that its agents use. */
export interface Organization extends Revised {
  id: string;
  name: string;
  /** Absent: the organization's agents cannot start runs. */
  model?: ModelConfiguration;
}

/** A stored agent configuration: `template_id` in the API. A deleted agent stays readable for its running runs. */
export interface Agent extends Revised {
  id: string;
  organizationId: string;
  name: string;
  instructions: string;
  /** Overrides the organization's model name; the provider is the organization's. */
  model?: string;
  /** Names from the tool table in `agent/tools/index.ts`. */
  tools: string[];
  /** MCP servers whose tools the agent may call. */
  mcp?: McpServer[];
  /** Options of `web_fetch`. Absent: public addresses only. */
  webFetch?: { privateAddresses: boolean };
  limits: TurnLimits;
  runLimits?: RunLimits;
  prices?: Prices;
  parameters?: ModelParameters;
  /** Context window of the model, in tokens. */
  contextTokens?: number;
  status: "active" | "archived" | "deleted";
}

/** An API key as stored: its SHA-256 (hex), never the key itself. */
export interface ApiKey extends Revised {
  hash: string;
  /** First characters of the key, so that people can tell keys apart. */
  hint: string;
  agentId: string;
  organizationId: string;
  enabled: boolean;
  /** Milliseconds since 1970. */
  createdAt: number;
}

/**
 * Organizations, agents and keys. A method rejects with `StoreUnavailable` when a retry can help.
 *
 * - `create…` stores a new record. Its id or hash is random, so that the call is idempotent and nothing is overwritten.
 * - `replace…` replaces the whole record if the stored one still has the same `revision`. It resolves with the stored
 *   record, or with undefined if the record is missing or was replaced by another writer.
 */
export interface Accounts {
  findKey(hash: string): Promise<ApiKey | undefined>;
  findAgent(id: string): Promise<Agent | undefined>;
  findOrganization(id: string): Promise<Organization | undefined>;
  createKey(key: ApiKey): Promise<void>;
  createAgent(agent: Agent): Promise<void>;
  createOrganization(organization: Organization): Promise<void>;
  replaceKey(key: ApiKey): Promise<ApiKey | undefined>;
  replaceAgent(agent: Agent): Promise<Agent | undefined>;
  replaceOrganization(organization: Organization): Promise<Organization | undefined>;
  /** Oldest first. */
  listKeys(agentId: string): Promise<ApiKey[]>;
  listAgents(organizationId?: string): Promise<Agent[]>;
  listOrganizations(): Promise<Organization[]>;
}

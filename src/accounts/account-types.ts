import type { ModelConfiguration } from "../agent/model.ts";
import type { McpToolRule } from "../agent/ask-kinds.ts";
import type { Static } from "../json-schema.ts";
import type { agentDefinition } from "./agents/agent-schema.ts";
import type { EventType } from "./account-limits.ts";

/**
 * A record whose replacement is conditional. Times are milliseconds since 1970. Absent times: the record was written by
 * an earlier release.
 */
export interface Revised {
  /** Number of times the record was replaced. Absent: 0, as in records of earlier releases. */
  revision?: number;
}

/** What the runs of an agent, or all runs of an organization, may use together. Absent fields: no limit. */
export interface Quota {
  /** Runs with a turn in progress. Further runs wait. */
  maxRunning?: number;
  /** US dollars per day (UTC). Turns in progress continue; new inputs are rejected. Requires prices. */
  maxDollarsPerDay?: number;
  /** Bytes of all files of the runs together. Creates with files, uploads and tools that would exceed it are rejected. */
  maxStoredBytes?: number;
}

/** As `Quota`, with what only an organization can limit. */
export interface OrganizationQuota extends Quota {
  /** Bytes of the pending uploads of all its agents together. Further uploads are rejected. */
  maxPendingUploadBytes?: number;
}

/** What an organization sets for all its agents. */
export interface OrganizationSettings extends OrganizationQuota {
  /** Hosts that `web_fetch` can reach, for agents that name none (`WebFetchOptions.hosts`). Absent: all. */
  webFetchHosts?: string[];
  /** What happens before a tool of an MCP server with effects runs, if its agent has no rule for it. Absent: `allow`. */
  mcpToolPolicy?: McpToolRule;
}

/** Owner of agents. Holds the model configurations that its agents use. */
export interface Organization extends Revised, OrganizationSettings {
  id: string;
  name: string;
  /** Absent: the organization's agents cannot start runs. */
  model?: ModelConfiguration;
  /** Further model configurations by name, for agents that name one. Absent: none. */
  models?: Record<string, ModelConfiguration>;
  /** An operator has stopped all model calls. Absent: they may begin. */
  modelsStopped?: { at: number };
  /** Its deletion has begun, by this operator. */
  deleting?: { at: number; actor?: string };
  createdAt?: number;
  updatedAt?: number;
}

/** The fields of an agent that its file defines. */
export type AgentDefinition = Omit<Static<typeof agentDefinition, unknown>, "$schema">;

/** A stored agent: `template_id` in the API. A deleted agent stays readable for its running runs. */
export interface Agent extends AgentDefinition, Revised {
  id: string;
  organizationId: string;
  status: "active" | "archived" | "deleted";
  /** Number of the current definition, from 1. Absent: not updated since an earlier release, which kept no versions. */
  version?: number;
  createdAt?: number;
  /** When definition or status last changed. */
  updatedAt?: number;
}

/** The fields of a definition that can be long: an organization with thousands of agents has up to 300 KB of them for each. */
export const longFields = ["instructions", "clientTools", "result"] as const;

/** An agent in a list. */
export type ListedAgent = Omit<Agent, (typeof longFields)[number]>;

/** A version without its definition. */
export type AgentVersionHead = Omit<AgentVersion, "definition">;

/** One definition of an agent. It is never changed. */
export interface AgentVersion {
  agentId: string;
  /** Counts from 1. */
  version: number;
  createdAt: number;
  /** SHA-256 (hex) of the definition as canonical JSON. Two versions with the same hash have the same definition. */
  hash: string;
  /** The trial that tried this definition before it was saved. Absent: none was named. */
  trialId?: string;
  definition: AgentDefinition;
}

/** An API key as stored: its SHA-256 (hex), never the key itself. */
export interface ApiKey extends Revised {
  hash: string;
  /** First characters of the key, so that people can tell keys apart. */
  hint: string;
  /** The first agent: the one that is meant where none is named. */
  agentId: string;
  /** Further agents of the organization. Never changed: stores list the key by them. Absent: none. */
  moreAgents?: string[];
  /** Those of its agents that were deleted while it has others. Absent: none. */
  deletedAgents?: string[];
  organizationId: string;
  enabled: boolean;
  /** All its agents were deleted, which disabled the key for good. */
  agentDeleted?: true;
  /** Absent: none was given. */
  name?: string;
  createdAt: number;
  /** When the key stops being accepted. Absent: never. */
  expiresAt?: number;
  /** Within the hour before the last request with the key. Absent: not used yet, or only with an earlier release. */
  lastUsedAt?: number;
}

/** What an operator may do: everything, or only read. */
export type OperatorRole = "operator" | "viewer";

/** What an operator may do, and where. An operator has the greater of two roles. */
export interface Access {
  /** In all organizations, and for the service itself. Absent: the operator is limited to `organizations`. */
  role?: OperatorRole;
  /** In single organizations. */
  organizations?: { id: string; role: OperatorRole }[];
}

/** A person who may use the management API with a token. Its SHA-256 (hex) is stored, never the token itself. */
export interface Operator extends Revised, Access {
  id: string;
  hash: string;
  /** First characters of the token, so that people can tell tokens apart. */
  hint: string;
  name: string;
  /** False: the token was revoked. */
  enabled: boolean;
  createdAt: number;
  /** When the token stops being accepted. Absent: never. */
  expiresAt?: number;
  /** Within the hour before the last request with the token. Absent: not used yet. */
  lastUsedAt?: number;
}

/** A secret that signs messages. `expiresAt`: of one that was rotated. */
export interface WebhookSecret {
  /** `whsec_` and 32 random bytes in base 64. */
  value: string;
  createdAt: number;
  expiresAt?: number;
}

/** A receiver of messages. `disabled` says why the service disabled it. */
export interface WebhookEndpoint {
  /** Of the runs that have no URL of their own. Absent: only runs with a URL are reported. */
  url?: string;
  /** The events that are sent to `url`. Absent: all. */
  types?: EventType[];
  /** Newest first. Messages are signed with each that has not expired. */
  secrets: WebhookSecret[];
  /** False: nothing is sent to `url`. Runs with a URL of their own are reported. */
  enabled: boolean;
  disabled?: { at: number; reason: string };
  /** Whether URLs may be `http:` and may lead to private addresses, which the platform may still refuse. */
  privateAddresses: boolean;
  createdAt: number;
  updatedAt: number;
}

/** An endpoint besides the first. It always has a URL. */
export interface FurtherEndpoint extends WebhookEndpoint {
  id: string;
}

/**
 * Where and how the service reports what happened to the runs of an agent: one record per agent, which is also the first
 * endpoint. Its secrets sign the messages to runs' own URLs. Without secrets, the first endpoint was removed.
 */
export interface Webhook extends Revised, WebhookEndpoint {
  agentId: string;
  organizationId: string;
  /** Oldest first. Absent: none. */
  endpoints?: FurtherEndpoint[];
}

type WithoutSecrets<Endpoint> = Omit<Endpoint, "secrets"> & { secrets: Omit<WebhookSecret, "value">[] };
export type EndpointView = WithoutSecrets<WebhookEndpoint>;
export type FurtherEndpointView = WithoutSecrets<FurtherEndpoint>;

/** A webhook without its secrets themselves. */
export type WebhookView = Omit<WithoutSecrets<Webhook>, "endpoints"> & { endpoints?: FurtherEndpointView[] };

/**
 * The parts of a webhook that creating and reporting runs needs. `configured`: it has secrets. `endpoints`: the further ones.
 */
export interface WebhookState extends Pick<Webhook, "enabled" | "types" | "privateAddresses"> {
  configured: boolean;
  hasUrl: boolean;
  endpoints?: Pick<FurtherEndpoint, "id" | "enabled" | "types">[];
}

export const auditActions = [
  "org.create",
  "org.set-model",
  "org.clear-model",
  "org.stop-models",
  "org.resume-models",
  "org.set-quota",
  "org.set-web-fetch",
  "org.set-mcp-tools",
  "org.test-model",
  "org.store-secret",
  "org.delete",
  "org.deleted",
  "agent.create",
  "agent.update",
  "agent.archive",
  "agent.unarchive",
  "agent.delete",
  "key.create",
  "key.enable",
  "key.disable",
  "webhook.set",
  "webhook.rotate-secret",
  "webhook.test",
  "webhook.enable",
  "webhook.disable",
  "webhook.remove",
  "delivery.resend",
  "operator.create",
  "operator.revoke",
  "run.create",
  "run.input",
  "run.answer",
  "run.retry",
  "run.label",
  "run.share",
  "run.unshare",
  "run.stop",
  "run.delete",
  "run.fork",
  "run.import",
  "trial.create",
  "trial.start",
  "trial.stop",
  "trial.judge",
  "trial.delete",
  "suite.create",
  "suite.add",
  "suite.remove",
  "suite.delete",
] as const;

/** One action of an operator. It contains no texts and no secrets. */
export interface AuditEntry {
  /** Milliseconds since 1970. */
  at: number;
  /**
   * Who: the ARN of the AWS caller, the name of the user of the operating system, or name and hint of an operator token.
   */
  actor: string;
  action: (typeof auditActions)[number];
  /** The organization, agent, operator, run or delivery; of a key its hash, of a webhook its agent. */
  id: string;
  /** `agent.create` and `agent.update`: the new version. */
  version?: number;
  /** Absent: the action concerns no organization, or an earlier release recorded it. */
  organizationId?: string;
}

/** Which audit entries to list: from the time `since` on, before `until`, and only of `organizations` if it is given. */
export interface AuditQuery {
  since: number;
  until?: number;
  organizations?: string[];
  limit: number;
}

/** What is stored in the same atomic write as a record. */
export interface Along {
  audit?: AuditEntry;
}

/**
 * Organizations, agents, keys, operators and webhooks. A method rejects with `StoreUnavailable` when a retry can help.
 *
 * - `create…` stores a new record. If one has its id or hash already, that one stays as it is, and nothing is written.
 * - `replace…` replaces the whole record if the stored one still has the same `revision`. It resolves with the stored
 *   record, or with undefined if the record is missing or was replaced by another writer.
 */
export interface Accounts {
  findKey(hash: string): Promise<ApiKey | undefined>;
  findAgent(id: string): Promise<Agent | undefined>;
  findOrganization(id: string): Promise<Organization | undefined>;
  findOperator(hash: string): Promise<Operator | undefined>;
  createKey(key: ApiKey, along?: Along): Promise<void>;
  createAgent(agent: Agent, along?: Along & { version?: AgentVersion }): Promise<void>;
  createOrganization(organization: Organization, along?: Along): Promise<void>;
  createOperator(operator: Operator, along?: Along): Promise<void>;
  replaceKey(key: ApiKey, along?: Along): Promise<ApiKey | undefined>;
  replaceAgent(agent: Agent, along?: Along & { version?: AgentVersion }): Promise<Agent | undefined>;
  replaceOrganization(organization: Organization, along?: Along): Promise<Organization | undefined>;
  replaceOperator(operator: Operator, along?: Along): Promise<Operator | undefined>;
  /** The webhook of an agent with its secrets. */
  findWebhook(agentId: string): Promise<Webhook | undefined>;
  /** The webhook of an agent without its secrets, for callers that may not read them. */
  findWebhookView(agentId: string): Promise<WebhookView | undefined>;
  /** The state of the webhook of an agent, for callers that may read nothing else of it. */
  findWebhookState(agentId: string): Promise<WebhookState | undefined>;
  /** As the other replacements. Without `revision`, it stores the first record of the agent. */
  replaceWebhook(webhook: Webhook, along?: Along): Promise<Webhook | undefined>;
  /**
   * Sets `lastUsedAt` of a key unless it is `before` or later. Changes no other field and no `revision`. No-op for an
   * unknown key.
   */
  touchKey(hash: string, at: number, before: number): Promise<void>;
  /** As `touchKey`, of an operator. */
  touchOperator(hash: string, at: number, before: number): Promise<void>;
  findAgentVersion(agentId: string, version: number): Promise<AgentVersion | undefined>;
  /** Newest first, at most `limit`. */
  listAgentVersions(agentId: string, limit: number): Promise<AgentVersionHead[]>;
  /** Newest first, at most `limit`. */
  listAudit(query: AuditQuery): Promise<AuditEntry[]>;
  /** Keys whose first or further agent it is. Oldest first. */
  listKeys(agentId: string): Promise<ApiKey[]>;
  listAgents(organizationId?: string): Promise<ListedAgent[]>;
  listOrganizations(): Promise<Organization[]>;
  /** Oldest first. Strongly consistent. */
  listOperators(): Promise<Operator[]>;
}

import { randomBytes } from "node:crypto";
import { ServiceError } from "../errors.ts";
import { findAgent, requireNotDeleted } from "./agents/agents.ts";
import { type Actor, along } from "./audit.ts";
import { endpointOf, findEndpoint, isConfigured, noEndpoint, withEndpoint } from "./endpoints.ts";
import { type EventType, eventTypes, maxEndpoints, maxSecrets, overlapHours } from "./account-limits.ts";
import { modify } from "./modify.ts";
import type {
  Accounts,
  Agent,
  AuditEntry,
  EndpointView,
  Webhook,
  WebhookEndpoint,
  WebhookSecret,
  WebhookView,
} from "./account-types.ts";
import { checkWebhookUrl, type WebhookUrlRules } from "./webhook-url.ts";

/** What an operator sets. Without `url`, only runs with a URL of their own are reported. A further endpoint needs a `url`. */
export interface WebhookSettings extends WebhookUrlRules {
  url?: string | undefined;
  /** The events that are sent to `url`. Default: all. */
  types?: EventType[] | undefined;
  /** Default: true. */
  enabled?: boolean | undefined;
  /** Which of the webhook's endpoints. Default: the first. */
  endpointId?: string | undefined;
}

/** A webhook after a change of an endpoint. `secret`: its new one, to be shown once. Absent: the endpoint kept its secrets. */
export interface ChangedWebhook {
  webhook: Webhook;
  /** Absent: the first. */
  endpointId?: string | undefined;
  secret?: string;
}

type WebhookStore = Pick<Accounts, "findWebhook" | "replaceWebhook">;
type Owner = Pick<Agent, "id" | "organizationId">;

/** Sets the webhook of an agent that is not deleted, or an endpoint that it has. A new webhook gets a secret. */
export async function setWebhook(
  accounts: Accounts,
  agentId: string,
  settings: WebhookSettings,
  actor?: Actor,
): Promise<ChangedWebhook> {
  const { endpointId } = settings;
  checkSettings(settings, endpointId !== undefined);
  const agent = requireNotDeleted(await findAgent(accounts, agentId));
  const secret = newSecret();
  const webhook = await modifyWebhook(accounts, agent, { action: "webhook.set", actor }, (before) => {
    const known = endpointId === undefined ? before : endpointOf(before, endpointId);
    return withEndpoint(before, endpointId, withSettings(withFirstSecret(known, secret), settings));
  });
  const isNew = endpointOf(webhook, endpointId).secrets[0]?.value === secret;
  return { webhook, endpointId, ...(isNew && { secret }) };
}

/** Adds an endpoint, with a secret of its own, to the webhook of an agent that is not deleted. */
export async function addEndpoint(
  accounts: Accounts,
  agentId: string,
  settings: Omit<WebhookSettings, "endpointId">,
  actor?: Actor,
): Promise<Required<ChangedWebhook>> {
  checkSettings(settings, true);
  const agent = requireNotDeleted(await findAgent(accounts, agentId));
  const [endpointId, secret] = [`ep_${randomBytes(6).toString("hex")}`, newSecret()];
  const webhook = await modifyWebhook(accounts, agent, { action: "webhook.set", actor }, (before) => {
    const { endpoints = [] } = before;
    if (endpoints.length >= maxEndpoints) {
      const message = `agent ${agent.id} has ${endpoints.length} further endpoints, and at most ${maxEndpoints} are accepted; remove one first`;
      throw new ServiceError("invalid_argument", message);
    }
    const added = withSettings(withFirstSecret(noEndpoint(), secret), settings);
    return { ...before, endpoints: [...endpoints, { id: endpointId, ...added }] };
  });
  return { webhook, endpointId, secret };
}

/** The webhook of an agent, without its secrets. Throws if the agent has none. */
export async function findWebhook(accounts: Accounts, agentId: string): Promise<WebhookView> {
  const webhook = await findWebhookRecord(accounts, agentId);
  endpointOf(webhook);
  return webhook;
}

/** As `findWebhook`, but does not throw if the first endpoint is not configured. */
export async function findWebhookRecord(accounts: Accounts, agentId: string): Promise<WebhookView> {
  const agent = await findAgent(accounts, agentId);
  return (await accounts.findWebhookView(agent.id)) ?? noWebhook(agent);
}

/**
 * Gives an endpoint of an agent's webhook a new secret; default: the first. The secrets before it sign messages, too, for
 * another `hours`. 0: they are removed at once. Of more than `maxSecrets`, the oldest are removed at once.
 */
export async function rotateSecret(
  accounts: Accounts,
  agentId: string,
  {
    hours = overlapHours.default,
    endpointId,
    actor,
  }: { hours?: number | undefined; endpointId?: string | undefined; actor?: Actor | undefined } = {},
): Promise<ChangedWebhook & { secret: string }> {
  if (!(hours >= 0 && hours <= overlapHours.max)) {
    const message = `a rotated secret cannot be valid for ${hours} hours; 0 to ${overlapHours.max} are accepted`;
    throw new ServiceError("invalid_argument", message);
  }
  const secret = newSecret();
  const by = { action: "webhook.rotate-secret", actor } as const;
  const webhook = await modifyEndpoint(accounts, await findAgent(accounts, agentId), endpointId, by, (found) => {
    const at = Date.now();
    const until = at + hours * 3_600_000;
    const before = validSecrets(found, at).flatMap(({ value, createdAt, expiresAt = until }) =>
      hours === 0 ? [] : { value, createdAt, expiresAt: Math.min(expiresAt, until) },
    );
    const secrets = [{ value: secret, createdAt: at }, ...before].slice(0, maxSecrets);
    return { ...found, secrets, updatedAt: at };
  });
  return { webhook, endpointId, secret };
}

/** Enables or disables an endpoint of an agent's webhook; default: the first. A no-op for one that is so already. */
export async function setWebhookEnabled(
  accounts: Accounts,
  agentId: string,
  enabled: boolean,
  actor?: Actor,
  endpointId?: string,
): Promise<Webhook> {
  const by = { action: enabled ? "webhook.enable" : "webhook.disable", actor } as const;
  return modifyEndpoint(accounts, await findAgent(accounts, agentId), endpointId, by, (before) => {
    if (before.enabled === enabled) return before;
    const { disabled: _, ...endpoint } = before;
    return { ...endpoint, enabled, updatedAt: Date.now() };
  });
}

/** Disables an endpoint because of the response of `url`. A no-op if the endpoint has another URL by now, or was removed. */
export async function disableUrl(
  accounts: WebhookStore,
  { agentId, organizationId }: Pick<Webhook, "agentId" | "organizationId">,
  { url, endpointId }: { url: string; endpointId?: string | undefined },
  reason: string,
): Promise<void> {
  const owner = { id: agentId, organizationId };
  await modifyWebhook(accounts, owner, { action: "webhook.disable", actor: undefined }, (webhook) => {
    const before = findEndpoint(webhook, endpointId);
    if (before?.url !== url || !before.enabled) return webhook;
    const at = Date.now();
    return withEndpoint(webhook, endpointId, { ...before, enabled: false, disabled: { at, reason }, updatedAt: at });
  });
}

/** Removes an endpoint of an agent's webhook, with its URL and its secrets; default: the first. Its pending deliveries fail. */
export async function removeWebhook(
  accounts: Accounts,
  agentId: string,
  actor?: Actor,
  endpointId?: string,
): Promise<void> {
  const agent = await findAgent(accounts, agentId);
  await modifyWebhook(accounts, agent, { action: "webhook.remove", actor }, (before) => {
    endpointOf(before, endpointId);
    return withEndpoint(before, endpointId, undefined);
  });
}

/** The secrets that sign a message at a time, newest first. */
export function validSecrets<Secret extends Pick<WebhookSecret, "expiresAt">>(
  { secrets }: { secrets: Secret[] },
  at: number,
): Secret[] {
  return secrets.filter(({ expiresAt = Infinity }) => expiresAt > at);
}

/** Until when an older secret signs messages besides the newest. Undefined: none does. */
export function oldSecretsValidUntil(endpoint: EndpointView, at: number): number | undefined {
  const times = validSecrets(endpoint, at).flatMap(({ expiresAt }) => expiresAt ?? []);
  return times.length === 0 ? undefined : Math.max(...times);
}

/** A webhook that was not set. */
function noWebhook({ id: agentId, organizationId }: Owner): Webhook {
  return { agentId, organizationId, ...noEndpoint() };
}

function checkSettings({ url, privateAddresses, addresses, types }: WebhookSettings, needsUrl: boolean): void {
  if (url !== undefined) checkWebhookUrl(url, { privateAddresses, addresses });
  else if (needsUrl) throw new ServiceError("invalid_argument", "a further endpoint has no URL; give it one");
  const problem = types && problemOfTypes(types);
  if (problem !== undefined) throw new ServiceError("invalid_argument", problem);
}

function problemOfTypes(types: string[]): string | undefined {
  const accepted = `accepted are ${eventTypes.join(", ")}`;
  if (types.length === 0) return `the list of event types is empty; leave it out for all, or ${accepted}`;
  const unknown = types.find((type) => !eventTypes.some((each) => each === type));
  if (unknown !== undefined) return `the event type ${JSON.stringify(unknown)} does not exist; ${accepted}`;
  return new Set(types).size < types.length ? "an event type is listed twice; list each once" : undefined;
}

/** An endpoint with what an operator set. */
function withSettings(before: WebhookEndpoint, settings: WebhookSettings): WebhookEndpoint {
  const { url, types, privateAddresses, enabled = true } = settings;
  const { secrets, createdAt } = before;
  const where = { ...(url !== undefined && { url }), ...(types && { types }) };
  return { secrets, createdAt, ...where, privateAddresses, enabled, updatedAt: Date.now() };
}

/** The endpoint itself if it has a secret. */
function withFirstSecret(endpoint: WebhookEndpoint, value: string): WebhookEndpoint {
  const createdAt = Date.now();
  return isConfigured(endpoint) ? endpoint : { ...endpoint, secrets: [{ value, createdAt }], createdAt };
}

/** `whsec_` and 256 random bits, as Standard Webhooks writes them. */
function newSecret(): string {
  return `whsec_${randomBytes(32).toString("base64")}`;
}

/** Changes an endpoint, which must exist. A `change` that returns the endpoint itself writes nothing. */
function modifyEndpoint(
  accounts: WebhookStore,
  agent: Owner,
  endpointId: string | undefined,
  by: { action: AuditEntry["action"]; actor: Actor | undefined },
  change: (before: WebhookEndpoint) => WebhookEndpoint,
): Promise<Webhook> {
  return modifyWebhook(accounts, agent, by, (webhook) => {
    const before = endpointOf(webhook, endpointId);
    const after = change(before);
    return after === before ? webhook : withEndpoint(webhook, endpointId, after);
  });
}

/** Changes the webhook of an agent, which may have none. See `modify`. */
function modifyWebhook(
  accounts: WebhookStore,
  agent: Owner,
  { action, actor }: { action: AuditEntry["action"]; actor: Actor | undefined },
  change: (before: Webhook) => Webhook,
): Promise<Webhook> {
  const read = async (): Promise<Webhook> => (await accounts.findWebhook(agent.id)) ?? noWebhook(agent);
  const stored = (next: Webhook) =>
    along(actor, action, agent.id, next.updatedAt, { organizationId: agent.organizationId });
  return modify(`the webhook of agent ${agent.id}`, read, change, (next) =>
    accounts.replaceWebhook(next, stored(next)),
  );
}

import { randomBytes } from "node:crypto";
import { ServiceError } from "../errors.ts";
import { findAgent, requireNotDeleted } from "./agents.ts";
import { type Actor, along } from "./audit.ts";
import { maxSecrets, overlapHours } from "./limits.ts";
import { modify } from "./modify.ts";
import type { Accounts, Agent, AuditEntry, Webhook, WebhookSecret, WebhookState, WebhookView } from "./types.ts";
import { checkWebhookUrl, type WebhookUrlRules } from "./webhook-url.ts";

/** What an operator sets. Without `url`, only runs with a URL of their own are reported. */
export interface WebhookSettings extends WebhookUrlRules {
  url?: string | undefined;
  /** Default: true. */
  enabled?: boolean | undefined;
}

/** A webhook after a change. `secret`: the new one, to be shown once. Absent: the webhook kept its secrets. */
export interface ChangedWebhook {
  webhook: Webhook;
  secret?: string;
}

type WebhookStore = Pick<Accounts, "findWebhook" | "replaceWebhook">;
type Owner = Pick<Agent, "id" | "organizationId">;

/** Sets the webhook of an agent that is not deleted. A new webhook gets a secret. */
export async function setWebhook(
  accounts: Accounts,
  agentId: string,
  { url, privateAddresses, addresses, enabled = true }: WebhookSettings,
  actor?: Actor,
): Promise<ChangedWebhook> {
  if (url !== undefined) checkWebhookUrl(url, { privateAddresses, addresses });
  const agent = requireNotDeleted(await findAgent(accounts, agentId));
  const secret = newSecret();
  const webhook = await modifyWebhook(accounts, agent, { action: "webhook.set", actor }, (before) => {
    const { url: _url, disabled: _disabled, ...kept } = withFirstSecret(before, secret);
    return { ...kept, ...(url !== undefined && { url }), privateAddresses, enabled, updatedAt: Date.now() };
  });
  return { webhook, ...(webhook.secrets[0]?.value === secret && { secret }) };
}

/** The webhook of an agent, without its secrets. Throws if the agent has none. */
export async function findWebhook(accounts: Accounts, agentId: string): Promise<WebhookView> {
  const agent = await findAgent(accounts, agentId);
  return requireConfigured((await accounts.findWebhookView(agent.id)) ?? noWebhook(agent));
}

/**
 * Gives the webhook of an agent a new secret. The secrets before it sign messages, too, for another `hours`. 0: they are
 * removed at once. Of more than `maxSecrets`, the oldest are removed at once.
 */
export async function rotateSecret(
  accounts: Accounts,
  agentId: string,
  { hours = overlapHours.default, actor }: { hours?: number | undefined; actor?: Actor | undefined } = {},
): Promise<Required<ChangedWebhook>> {
  if (!(hours >= 0 && hours <= overlapHours.max)) {
    const message = `a rotated secret cannot be valid for ${hours} hours; 0 to ${overlapHours.max} are accepted`;
    throw new ServiceError("invalid_argument", message);
  }
  const secret = newSecret();
  const by = { action: "webhook.rotate-secret", actor } as const;
  const webhook = await modifyWebhook(accounts, await findAgent(accounts, agentId), by, (found) => {
    const at = Date.now();
    const until = at + hours * 3_600_000;
    const before = validSecrets(requireConfigured(found), at).flatMap(({ value, createdAt, expiresAt = until }) =>
      hours === 0 ? [] : { value, createdAt, expiresAt: Math.min(expiresAt, until) },
    );
    const secrets = [{ value: secret, createdAt: at }, ...before].slice(0, maxSecrets);
    return { ...found, secrets, updatedAt: at };
  });
  return { webhook, secret };
}

/** Enables or disables the webhook of an agent. A no-op for one that is so already. */
export async function setWebhookEnabled(
  accounts: Accounts,
  agentId: string,
  enabled: boolean,
  actor?: Actor,
): Promise<Webhook> {
  const by = { action: enabled ? "webhook.enable" : "webhook.disable", actor } as const;
  return modifyWebhook(accounts, await findAgent(accounts, agentId), by, (before) => {
    if (requireConfigured(before).enabled === enabled) return before;
    const { disabled: _, ...webhook } = before;
    return { ...webhook, enabled, updatedAt: Date.now() };
  });
}

/** Disables a webhook because of what the receiver at `url` answered. A no-op if the webhook has another URL by now. */
export async function disableUrl(
  accounts: WebhookStore,
  { agentId, organizationId }: Pick<Webhook, "agentId" | "organizationId">,
  url: string,
  reason: string,
): Promise<void> {
  const owner = { id: agentId, organizationId };
  await modifyWebhook(accounts, owner, { action: "webhook.disable", actor: undefined }, (before) => {
    if (before.url !== url || !before.enabled) return before;
    const at = Date.now();
    return { ...before, enabled: false, disabled: { at, reason }, updatedAt: at };
  });
}

/** Removes the webhook of an agent, with its URL and its secrets. Pending deliveries fail. */
export async function removeWebhook(accounts: Accounts, agentId: string, actor?: Actor): Promise<void> {
  const agent = await findAgent(accounts, agentId);
  await modifyWebhook(accounts, agent, { action: "webhook.remove", actor }, (before) => {
    const { revision } = requireConfigured(before);
    return { ...noWebhook(agent), updatedAt: Date.now(), ...(revision !== undefined && { revision }) };
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
export function oldSecretsValidUntil(webhook: WebhookView, at: number): number | undefined {
  const times = validSecrets(webhook, at).flatMap(({ expiresAt }) => expiresAt ?? []);
  return times.length === 0 ? undefined : Math.max(...times);
}

/** What the create of a run needs to know of a webhook. */
export function webhookState(webhook: Webhook): WebhookState {
  const { url, enabled, privateAddresses } = webhook;
  return { configured: isConfigured(webhook), enabled, hasUrl: url !== undefined, privateAddresses };
}

/** A webhook without its secrets themselves. */
export function webhookView({ secrets, ...webhook }: Webhook): WebhookView {
  const times = secrets.map(({ createdAt, expiresAt }) => ({
    createdAt,
    ...(expiresAt !== undefined && { expiresAt }),
  }));
  return { ...webhook, secrets: times };
}

/** A webhook that was not set, or was removed. */
function noWebhook({ id: agentId, organizationId }: Owner): Webhook {
  return { agentId, organizationId, secrets: [], enabled: false, privateAddresses: false, createdAt: 0, updatedAt: 0 };
}

function isConfigured({ secrets }: WebhookView): boolean {
  return secrets.length > 0;
}

function requireConfigured<Found extends WebhookView>(webhook: Found): Found {
  if (isConfigured(webhook)) return webhook;
  throw new ServiceError("webhook_not_found", `agent ${webhook.agentId} has no webhook; set one first`);
}

/** The webhook itself if it has a secret. */
function withFirstSecret(webhook: Webhook, value: string): Webhook {
  const createdAt = Date.now();
  return isConfigured(webhook) ? webhook : { ...webhook, secrets: [{ value, createdAt }], createdAt };
}

/** `whsec_` and 256 random bits, as Standard Webhooks writes them. */
function newSecret(): string {
  return `whsec_${randomBytes(32).toString("base64")}`;
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

import { ServiceError } from "../errors.ts";
import { findAgent, requireNotDeleted } from "./agents/agents.ts";
import { type Actor, along } from "./audit.ts";
import { checkExpiry } from "./expiry.ts";
import { normalizeId } from "./ids.ts";
import { agentsOf, maxKeyAgents } from "./key-agents.ts";
import { modify } from "./modify.ts";
import { checkName } from "./names.ts";
import { knownToken, newToken, redactTokens, tokenHash } from "./token.ts";
import type { Accounts, Agent, ApiKey } from "./account-types.ts";

/** A new key. `key` exists here only: the store keeps its hash. */
export interface IssuedKey {
  key: string;
  stored: ApiKey;
}

/**
 * Options of a new key. `name`: for people, such as the system that uses the key. `moreAgents`: further agents of the
 * organization that it can be used for. Without `expiresAt`, it does not expire. `keep`: keeps the key for its user before it is
 * stored. It resolves with the key, or with that which an earlier delivery of the same request has kept, whose record stays.
 */
interface NewKey {
  name?: string | undefined;
  moreAgents?: string[] | undefined;
  expiresAt?: number | undefined;
  actor?: Actor | undefined;
  keep?: ((key: string) => Promise<string>) | undefined;
}

/** Creates an API key for an agent that is not deleted, and for further ones of its organization. */
export async function createKey(accounts: Accounts, agentId: string, options: NewKey = {}): Promise<IssuedKey> {
  const agent = requireNotDeleted(await findAgent(accounts, agentId));
  const moreAgents = await furtherAgents(accounts, agent, options.moreAgents ?? []);
  return issueKey(accounts, agent, { ...options, moreAgents });
}

/** The ids of the further agents of a new key. Throws unless each is another agent of the organization, and not deleted. */
async function furtherAgents(accounts: Accounts, first: Agent, given: string[]): Promise<string[]> {
  const ids = given.map(normalizeId);
  if (new Set([first.id, ...ids]).size !== 1 + ids.length) {
    throw new ServiceError("invalid_argument", "an agent is named twice; name each agent of a key once");
  }
  if (1 + ids.length > maxKeyAgents) {
    const message = `a key has at most ${maxKeyAgents} agents; ${1 + ids.length} are named: create further keys`;
    throw new ServiceError("invalid_argument", message);
  }
  const found = await Promise.all(ids.map((id) => accounts.findAgent(id)));
  for (const [index, agent] of found.entries()) {
    if (agent?.organizationId !== first.organizationId) {
      const named = JSON.stringify(given[index]);
      throw new ServiceError("agent_not_found", `the organization of agent ${first.id} has no agent ${named}`);
    }
    requireNotDeleted(agent);
  }
  return ids;
}

/** Creates an API key without checking the agent. */
export async function issueKey(
  accounts: Pick<Accounts, "createKey">,
  { id: agentId, organizationId }: Pick<Agent, "id" | "organizationId">,
  { name, moreAgents = [], expiresAt, actor, keep }: NewKey = {},
): Promise<IssuedKey> {
  if (name !== undefined) checkName("the key's", name);
  const owner = { agentId, ...(moreAgents.length > 0 && { moreAgents }), organizationId };
  const createdAt = Date.now();
  if (expiresAt !== undefined) checkExpiry(expiresAt, createdAt);
  const made = newToken("ak");
  const { token: key, hash, hint } = keep ? knownToken("ak", await keep(made.token)) : made;
  const given = { ...(name !== undefined && { name }), ...(expiresAt !== undefined && { expiresAt }) };
  const stored: ApiKey = { hash, hint, ...owner, enabled: true, ...given, createdAt };
  await accounts.createKey(stored, along(actor, "key.create", hash, createdAt, { organizationId }));
  return { key, stored };
}

/** Enables or disables a key. One whose agents are all deleted stays disabled. `text`: see `findKey`. */
export async function setKeyEnabled(
  accounts: Accounts,
  text: string,
  enabled: boolean,
  actor?: Actor,
): Promise<ApiKey> {
  const found = await findKey(accounts, text);
  const { hash, hint, organizationId } = found;
  const [agentId = found.agentId] = agentsOf(found);
  if (enabled) requireNotDeleted(await findAgent(accounts, agentId));
  const action = enabled ? "key.enable" : "key.disable";
  return modify(
    `key ${hint}`,
    () => findKey(accounts, hash),
    (key) => (key.enabled === enabled ? key : { ...key, enabled }),
    (next) => accounts.replaceKey(next, along(actor, action, hash, Date.now(), { organizationId })),
  );
}

/** Shorter prefixes are rejected: they are likely typing errors. A hint has 9 characters. */
const minPrefixLength = 8;
const hashLength = 64;

/** Finds a key by the key itself, its hash, or a prefix of its hash or hint. */
export async function findKey(accounts: Accounts, text: string): Promise<ApiKey> {
  const exact = await accounts.findKey(tokenHash("ak", text) ?? text.toLowerCase());
  if (exact) return exact;
  const isPrefix = text.length >= minPrefixLength && text.length < hashLength;
  const agents = isPrefix ? await accounts.listAgents() : [];
  const keys = (await Promise.all(agents.map(({ id }) => accounts.listKeys(id)))).flat();
  const unique = [...new Map(keys.map((key) => [key.hash, key])).values()]; // a key of several agents is listed by each
  const found = unique.filter(({ hash, hint }) => hint.startsWith(text) || hash.startsWith(text.toLowerCase()));
  const [only] = found;
  const received = JSON.stringify(redactTokens(text));
  if (!only) throw new ServiceError("key_not_found", `key ${received} does not exist`);
  if (found.length > 1) throw new ServiceError("key_ambiguous", `${found.length} keys start with ${received}`);
  return only;
}

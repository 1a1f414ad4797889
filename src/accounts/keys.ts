import { ServiceError } from "../errors.ts";
import { findAgent, requireNotDeleted } from "./agents.ts";
import { keyHash, newApiKey, redactKeys } from "./api-key.ts";
import { modify } from "./modify.ts";
import type { Accounts, Agent, ApiKey } from "./types.ts";

/** A new key. `key` exists here only: the store keeps its hash. */
export interface IssuedKey {
  key: string;
  stored: ApiKey;
}

/** Creates an API key for an agent that is not deleted. */
export async function createKey(accounts: Accounts, agentId: string): Promise<IssuedKey> {
  return issueKey(accounts, requireNotDeleted(await findAgent(accounts, agentId)));
}

/** Creates an API key without checking the agent. */
export async function issueKey(
  accounts: Pick<Accounts, "createKey">,
  { id: agentId, organizationId }: Pick<Agent, "id" | "organizationId">,
): Promise<IssuedKey> {
  const { key, hash, hint } = newApiKey();
  const stored: ApiKey = { hash, hint, agentId, organizationId, enabled: true, createdAt: Date.now() };
  await accounts.createKey(stored);
  return { key, stored };
}

/** Enables or disables a key. `text`: see `findKey`. */
export async function setKeyEnabled(accounts: Accounts, text: string, enabled: boolean): Promise<ApiKey> {
  const { hash, hint } = await findKey(accounts, text);
  return modify(
    `key ${hint}`,
    () => findKey(accounts, hash),
    (key) => (key.enabled === enabled ? key : { ...key, enabled }),
    (next) => accounts.replaceKey(next),
  );
}

/** Shorter prefixes are rejected: they are likely typing errors. A hint has 9 characters. */
const minPrefixLength = 8;

/** Finds a key by the key itself, its hash, or a prefix of its hash or hint. */
export async function findKey(accounts: Accounts, text: string): Promise<ApiKey> {
  const exact = await accounts.findKey(keyHash(text) ?? text.toLowerCase());
  if (exact) return exact;
  const agents = text.length < minPrefixLength ? [] : await accounts.listAgents();
  const keys = (await Promise.all(agents.map(({ id }) => accounts.listKeys(id)))).flat();
  const found = keys.filter(({ hash, hint }) => hint.startsWith(text) || hash.startsWith(text.toLowerCase()));
  const [only] = found;
  const received = JSON.stringify(redactKeys(text));
  if (!only) throw new ServiceError("key_not_found", `key ${received} does not exist`);
  if (found.length > 1) throw new ServiceError("key_ambiguous", `${found.length} keys start with ${received}`);
  return only;
}

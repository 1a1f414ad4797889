import { agentNotFound, invalidKey, ServiceError } from "../errors.ts";
import { isExpired } from "./expiry.ts";
import { hasAgent, type KeyAgents } from "./key-agents.ts";
import type { RequestRate } from "./request-rate.ts";
import type { Starter } from "./starter.ts";
import { tokenHash } from "./token.ts";
import type { Accounts, ApiKey } from "./account-types.ts";
import { recordUse } from "./agents/use.ts";

/** Where keys are looked up, and how many requests each may send. Without `rate`: any number. */
export interface AuthenticationDeps {
  accounts: Accounts;
  rate?: RequestRate;
}

/** The agents and the organization that an API key belongs to. */
export interface Principal extends KeyAgents, Pick<ApiKey, "organizationId"> {
  /** The only run that may be read, and nothing else be done: the caller has a token of the run. */
  onlyRun?: string;
  /** The key, as what it starts is recorded. Absent: nobody. */
  starter?: Starter;
  /** Begins a list: see `RequestRate`. Absent: requests are not limited. */
  beginList?: () => (runs: number) => void;
}

/**
 * Unknown, disabled and malformed keys get the same error. Malformed keys are rejected without a look-up. Rejects with
 * `key_expired` and `agent_deleted` for a key that was valid before, and with `too_many_requests` for one that sends more
 * than `rate` allows.
 */
export async function authenticate(deps: AuthenticationDeps, key: string | undefined): Promise<Principal> {
  return await authenticateHash(deps, keyHashOf(key));
}

/** The hash of a key, for `authenticateHash`. Throws for a missing or malformed key, which is not looked up. */
export function keyHashOf(key: string | undefined): string {
  if (key === undefined) throw new ServiceError("key_missing", "Missing API key");
  const hash = tokenHash("ak", key);
  if (hash === undefined) throw new ServiceError("key_invalid", invalidKey);
  return hash;
}

/** As `authenticate`, for a key's hash. */
export async function authenticateHash({ accounts, rate }: AuthenticationDeps, hash: string): Promise<Principal> {
  const found = await accounts.findKey(hash);
  if (found?.agentDeleted) throw new ServiceError("agent_deleted", agentNotFound);
  if (!found?.enabled) throw new ServiceError("key_invalid", invalidKey);
  if (isExpired(found, Date.now())) throw expired(found);
  recordUse(found, Date.now(), (at, before) => accounts.touchKey(hash, at, before));
  const { agentId, organizationId, moreAgents, deletedAgents } = found;
  const others = moreAgents && { moreAgents, ...(deletedAgents && { deletedAgents }) };
  return { agentId, organizationId, starter: { kind: "key", id: hash }, ...others, ...admitted(rate, hash) };
}

/**
 * The holder of a key as that of one agent, by default the key's first one. Throws `template_mismatch` for an agent that is not
 * the key's, and `agent_deleted` for one that was deleted.
 */
export function forAgent(principal: Principal, id: string = principal.agentId): Principal {
  if (!principal.moreAgents && id === principal.agentId) return principal;
  if (principal.deletedAgents?.includes(id)) throw new ServiceError("agent_deleted", agentNotFound);
  if (!hasAgent(principal, id)) {
    throw new ServiceError("template_mismatch", "API key is not valid for the requested template");
  }
  const { moreAgents: _more, deletedAgents: _deleted, ...rest } = principal;
  return { ...rest, agentId: id };
}

/** Takes a request from the rate of a key or operator. `holder`: see `RequestRate`. */
export function admitted(rate: RequestRate | undefined, holder: string): Pick<Principal, "beginList"> {
  if (!rate) return {};
  rate.admit(holder);
  return { beginList: () => rate.beginList(holder) };
}

function expired({ expiresAt = 0 }: ApiKey): ServiceError {
  const at = new Date(expiresAt).toISOString();
  return new ServiceError("key_expired", `The API key expired at ${at}; create another one`);
}

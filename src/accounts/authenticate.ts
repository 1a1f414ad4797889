import { ServiceError } from "../errors.ts";
import type { Accounts, ApiKey } from "./types.ts";
import { tokenHash } from "./token.ts";
import { recordUse } from "./use.ts";

/** The agent and organization that an API key stands for. */
export type Principal = Pick<ApiKey, "agentId" | "organizationId">;

/** Unknown, disabled and malformed keys get the same error. Malformed keys are rejected without a look-up. */
export async function authenticate({ accounts }: { accounts: Accounts }, key: string | undefined): Promise<Principal> {
  if (key === undefined) throw new ServiceError("key_missing", "Missing API key");
  const hash = tokenHash("ak", key);
  const found = hash === undefined ? undefined : await accounts.findKey(hash);
  if (!found?.enabled) throw new ServiceError("key_invalid", "Invalid API key");
  recordUse(found, Date.now(), (at, before) => accounts.touchKey(found.hash, at, before));
  return found;
}

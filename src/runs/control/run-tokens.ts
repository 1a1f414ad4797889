import { admitted, type AuthenticationDeps, type Principal } from "../../accounts/authenticate.ts";
import { isExpired } from "../../accounts/expiry.ts";
import { normalizeId } from "../../accounts/ids.ts";
import { newToken, tokenHash } from "../../accounts/token.ts";
import { agentNotFound, invalidKey, ServiceError } from "../../errors.ts";
import { changeAttributes } from "../change-attributes.ts";
import type { Uses, Runs } from "../ports.ts";
import { maxRunTokens, tokenSeconds } from "../token-limits.ts";
import type { Run, RunToken } from "../run-types.ts";

/** A token that was just created. `token` is not stored. */
export interface NewRunToken extends RunToken {
  token: string;
}

/** Creates a token that reads one run. Expired ones are dropped. Rejects for a deleted run and for one with too many. */
export async function createRunToken(
  deps: Uses<"runs" | "now" | "actor">,
  id: string,
  seconds = tokenSeconds.default,
): Promise<NewRunToken> {
  const createdAt = deps.now();
  const runId = normalizeId(id);
  const { token, hash } = newToken("rt", runId.replaceAll("-", ""));
  const created: RunToken = { id: hash.slice(0, 16), hash, createdAt, expiresAt: createdAt + seconds * 1_000 };
  await changeTokens(deps, id, "run.share", (tokens) => {
    const valid = validTokens({ tokens }, createdAt);
    if (valid.length < maxRunTokens) return [...valid, created];
    throw new ServiceError("invalid_argument", `run ${runId} has ${maxRunTokens} valid tokens; revoke one first`);
  });
  return { ...created, token };
}

/** Revokes a token. One that is unknown or expired is revoked already. */
export async function revokeRunToken(deps: Uses<"runs" | "now" | "actor">, id: string, tokenId: string): Promise<void> {
  await changeTokens(deps, id, "run.unshare", (tokens) => tokens.filter((each) => each.id !== tokenId));
}

/** The valid tokens of a run, oldest first. */
export function validTokens({ tokens = [] }: Pick<Run, "tokens">, now: number): RunToken[] {
  return tokens.filter((each) => !isExpired(each, now));
}

/** Authenticates a token of a run. Malformed and unknown tokens, and those of a deleted agent, get the errors of such keys. */
export async function authenticateRunToken(
  { accounts, runs, rate }: AuthenticationDeps & { runs: Runs },
  token: string,
): Promise<Principal> {
  const hash = tokenHash("rt", token);
  if (hash === undefined) throw new ServiceError("key_invalid", invalidKey);
  const run = await runs.head(runIdIn(token));
  const found = run?.tokens?.find((each) => each.hash === hash);
  if (!run || !found) throw new ServiceError("key_invalid", invalidKey);
  const agent = await accounts.findAgent(run.agentId);
  if (!agent || agent.status === "deleted") throw new ServiceError("agent_deleted", agentNotFound);
  if (isExpired(found, Date.now())) {
    const at = new Date(found.expiresAt).toISOString();
    throw new ServiceError("key_expired", `The token of this run expired at ${at}; ask for another one`);
  }
  const { agentId, organizationId, id: onlyRun } = run;
  return { agentId, organizationId, onlyRun, ...admitted(rate, hash) };
}

/** Whether a credential is a token of a run. */
export function isRunToken(credential: string | undefined): credential is string {
  return credential?.startsWith("rt_") === true;
}

/** The id of the run in a well-formed token. */
function runIdIn(token: string): string {
  return token.slice(3, 35).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** `change` returns the tokens that the run has then. */
async function changeTokens(
  deps: Uses<"runs" | "now" | "actor">,
  id: string,
  action: "run.share" | "run.unshare",
  change: (tokens: RunToken[]) => RunToken[],
): Promise<void> {
  await changeAttributes(deps, id, { action, name: "tokens" }, ({ tokens: before = [] }) => {
    const after = change(before);
    const isSame = after.length === before.length && after.every((each, index) => each === before[index]);
    return isSame ? undefined : { tokens: { before, after } };
  });
}

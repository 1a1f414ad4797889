import { randomUUID } from "node:crypto";
import { ServiceError } from "../errors.ts";
import { checkedAccess } from "./access.ts";
import { type Actor, along } from "./audit.ts";
import { normalizeId } from "./ids.ts";
import { checkExpiry, isExpired } from "./expiry.ts";
import { modify } from "./modify.ts";
import { checkName } from "./names.ts";
import { newToken, redactTokens, tokenHash } from "./token.ts";
import type { Access, Accounts, Operator } from "./account-types.ts";
import { recordUse } from "./agents/use.ts";

/** A new operator. `token` exists here only: the store keeps its hash. */
export interface NewOperator {
  token: string;
  stored: Operator;
}

/** The operator that a token belongs to. */
export interface OperatorPrincipal extends Access {
  /** For the audit: the name and the hint of the token, such as `mira (ao_4fK2x9)`. */
  actor: Actor;
  name: string;
  /** See `Principal`. */
  beginList?: () => (runs: number) => void;
}

/** Creates an operator with a token. Without `expiresAt`, it does not expire. `actor`: who does it, for the audit. */
export async function createOperator(
  accounts: Accounts,
  { name, expiresAt, ...given }: Pick<Operator, "name" | "role" | "organizations" | "expiresAt">,
  actor?: Actor,
): Promise<NewOperator> {
  checkName("the operator's", name);
  if (expiresAt !== undefined) checkExpiry(expiresAt, Date.now());
  const access = await checkedAccess(accounts, given);
  const { token, hash, hint } = newToken("ao");
  const [id, createdAt] = [randomUUID(), Date.now()];
  const ends = expiresAt === undefined ? {} : { expiresAt };
  const stored: Operator = { id, hash, hint, name, ...access, enabled: true, createdAt, ...ends };
  await accounts.createOperator(stored, along(actor, "operator.create", id, createdAt));
  return { token, stored };
}

/** All operators, also those whose token was revoked, oldest first. */
export function listOperators(accounts: Accounts): Promise<Operator[]> {
  return accounts.listOperators();
}

/**
 * Revokes the token of an operator: the next request with it is rejected. No-op for a revoked one. `text`: the operator's
 * id, the hint of its token, or the token. `keepLast`: rejects for the last valid token that may change everything, whose
 * end would lock its owner out.
 */
export async function revokeOperator(
  accounts: Accounts,
  text: string,
  actor?: Actor,
  { keepLast = false }: { keepLast?: boolean } = {},
): Promise<Operator> {
  const { id, hash, hint } = await findOperator(accounts, text);
  if (keepLast) requireAnother(await accounts.listOperators(), id);
  return modify(
    `operator ${hint}`,
    async () => (await accounts.findOperator(hash)) ?? Promise.reject(notFound(text)),
    (operator) => (operator.enabled ? { ...operator, enabled: false } : operator),
    (next) => accounts.replaceOperator(next, along(actor, "operator.revoke", id)),
  );
}

function requireAnother(operators: Operator[], id: string): void {
  const administrators = operators.filter((each) => isValid(each) && each.role === "operator");
  if (administrators.length !== 1 || administrators[0]?.id !== id) return;
  const { name, hint } = administrators[0];
  const message =
    `${name} (${hint}) is the last valid token with the role operator: nobody could manage the service after it. Create ` +
    `another operator first, or revoke it with the CLI on the service's machine: operator revoke ${hint}`;
  throw new ServiceError("last_operator", message);
}

function isValid(operator: Operator): boolean {
  return operator.enabled && !isExpired(operator, Date.now());
}

/** Unknown, revoked and malformed tokens get the same error. Malformed tokens are rejected without a look-up. */
export async function authenticateOperator(accounts: Accounts, token: string | undefined): Promise<OperatorPrincipal> {
  if (token === undefined) throw new ServiceError("key_missing", "Missing operator token (ao_…)");
  if (token.startsWith("ak_")) {
    throw new ServiceError(
      "key_invalid",
      "This is an API key (ak_…), which is for /v1; here, send an operator token (ao_…)",
    );
  }
  const hash = tokenHash("ao", token);
  const found = hash === undefined ? undefined : await accounts.findOperator(hash);
  if (!found?.enabled) throw new ServiceError("key_invalid", "Invalid operator token: it is unknown or was revoked");
  if (!isValid(found)) throw expired(found);
  recordUse(found, Date.now(), (at, before) => accounts.touchOperator(found.hash, at, before));
  const { name, hint, role, organizations } = found;
  return { actor: `${name} (${hint})`, name, ...(role && { role }), ...(organizations && { organizations }) };
}

function expired({ expiresAt = 0 }: Operator): ServiceError {
  const at = new Date(expiresAt).toISOString();
  return new ServiceError("key_expired", `The operator token expired at ${at}; ask an operator for another one`);
}

/** Shorter prefixes are rejected: they are likely typing errors. A hint has 9 characters. */
const minPrefixLength = 8;

async function findOperator(accounts: Accounts, text: string): Promise<Operator> {
  const operators = await accounts.listOperators();
  const [given, id, hash] = [text.trim(), normalizeId(text), tokenHash("ao", text.trim())];
  const exact = operators.find((each) => each.id === id || each.hash === hash);
  if (exact) return exact;
  const isPrefix = given.length >= minPrefixLength;
  const found = operators.filter((each) => isPrefix && (each.hint.startsWith(given) || each.id.startsWith(id)));
  const [only] = found;
  if (!only) throw notFound(text);
  if (found.length === 1) return only;
  const received = JSON.stringify(redactTokens(text));
  throw new ServiceError("operator_ambiguous", `${found.length} operators start with ${received}`);
}

function notFound(text: string): ServiceError {
  return new ServiceError("operator_not_found", `operator ${JSON.stringify(redactTokens(text))} does not exist`);
}

import { limitedTo } from "../../accounts/access.ts";
import { createOperator, listOperators, revokeOperator } from "../../accounts/operators.ts";
import { commandPrefix } from "../../command-line.ts";
import { ServiceError } from "../../errors.ts";
import { newRunLimits } from "../../runs/begin/new-run-limits.ts";
import type { ManageHandlers } from "../call.ts";
import type { ManageDeps } from "../deps.ts";
import { expiryIn } from "../../http/rest/parameter-values.ts";
import { wireEnvironment } from "../wire/environment.ts";
import { wireAccess, wireAuditEntry, wireOperator } from "../wire/operator.ts";

/** Bytes of a body of `POST /runs` besides its files: names and a usual input. */
const restOfBody = 64 * 1024;

export function operatorHandlers({ accounts, acceptedSecrets, service }: ManageDeps) {
  return {
    async get_me({ principal }) {
      const { platform, version, sign_in, stack } = service;
      const me = {
        name: principal.name,
        ...wireAccess(principal),
        platform,
        version,
        service_url: service.serviceUrl(),
        stack,
        sign_in,
      };
      const commands = { start: commandPrefix("start"), admin: commandPrefix("admin") };
      const secrets = acceptedSecrets();
      const { files, fileBytes, nameLength } = newRunLimits;
      const { bodyBytes } = service;
      // On Lambda, files are limited by the body, in which base64 takes four characters for three bytes.
      const file_bytes = Math.min(fileBytes, Math.floor((bodyBytes - restOfBody) * 0.75));
      const limits = { files, file_bytes, name_length: nameLength, body_bytes: bodyBytes };
      const environments = (await service.environments?.())?.map(wireEnvironment) ?? null;
      return { ...me, commands, secrets, limits, environments };
    },

    async list_operators() {
      const data = (await listOperators(accounts)).map(wireOperator);
      return { data, next: null };
    },

    async create_operator({ body, principal: { actor } }) {
      if (service.sign_in !== "token") throw noTokens();
      const { name, role, organizations, expires_at } = body;
      const access = { ...(role && { role }), ...(organizations && { organizations }) };
      const expiresAt = expiryIn(expires_at);
      const ends = expiresAt === undefined ? {} : { expiresAt };
      const { token, stored } = await createOperator(accounts, { name, ...access, ...ends }, actor);
      return { ...wireOperator(stored), token };
    },

    revoke_operator: async ({ path, principal: { actor } }) =>
      wireOperator(await revokeOperator(accounts, path.operator_id, actor, { keepLast: true })),

    async list_audit({ query: { since, until, limit }, principal }) {
      const organizations = limitedTo(principal);
      const entries = await accounts.listAudit({
        since: since === undefined ? 0 : Date.parse(since),
        ...(until !== undefined && { until: Date.parse(until) }),
        ...(organizations && { organizations }),
        limit,
      });
      return { data: entries.map(wireAuditEntry), next: null };
    },
  } satisfies ManageHandlers;
}

/** On AWS, nothing accepts a token. */
function noTokens(): ServiceError {
  const message =
    "The operators of a stack sign in with their AWS credentials, or with the stack's user pool or identity provider; " +
    "it accepts no operator tokens";
  return new ServiceError("invalid_argument", message);
}

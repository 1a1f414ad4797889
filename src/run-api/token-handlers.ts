import type { Actor } from "../accounts/audit.ts";
import { jsonResponse } from "../http/handler.ts";
import type { SharedSchemas } from "../http/rest/schemas/types.ts";
import { timeOf } from "../http/rest/wire/time.ts";
import type { Runs } from "../runs/ports.ts";
import { createRunToken, type NewRunToken, revokeRunToken, validTokens } from "../runs/run-tokens.ts";
import type { Run, RunToken } from "../runs/types.ts";

interface Access<Caller> {
  /** Rejects with `run_not_found` for a run that the caller may not see. */
  find: (caller: Caller, id: string) => Promise<Run>;
  actorOf?: (caller: Caller) => Actor;
}

interface Call<Caller> {
  principal: Caller;
  path: { run_id: string };
}

/** The handlers of tokens that read one run, for the extension API and the management API. */
export function tokenHandlers<Caller>(deps: { runs: Runs; now: () => number }, { find, actorOf }: Access<Caller>) {
  const audited = (caller: Caller) => ({ ...deps, ...(actorOf && { actor: actorOf(caller) }) });
  return {
    async create_run_token({ principal, path, body }: Call<Caller> & { body: { expires_in?: number } | undefined }) {
      const { id } = await find(principal, path.run_id);
      return jsonResponse(201, wireNewToken(await createRunToken(audited(principal), id, body?.expires_in)));
    },

    async list_run_tokens({ principal, path }: Call<Caller>) {
      const run = await find(principal, path.run_id);
      const data = validTokens(run, deps.now()).map(wireToken);
      return jsonResponse(200, { data, next: null } satisfies SharedSchemas["RunTokenList"]);
    },

    async revoke_run_token({ principal, path }: Call<Caller> & { path: { token_id: string } }) {
      const { id } = await find(principal, path.run_id);
      await revokeRunToken(audited(principal), id, path.token_id);
      return { status: 204, headers: {}, body: "" };
    },
  };
}

/** A token with its secret, which is sent once. */
export function wireNewToken(created: NewRunToken): SharedSchemas["CreatedRunToken"] {
  return { token: created.token, ...wireToken(created) };
}

function wireToken({ id, createdAt, expiresAt }: RunToken): SharedSchemas["RunToken"] {
  return { id, created_at: timeOf(createdAt), expires_at: timeOf(expiresAt) };
}

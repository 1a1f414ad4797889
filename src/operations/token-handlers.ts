import type { SharedSchemas } from "../http/rest/schemas/schema-types.ts";
import { wirePart } from "../http/rest/wire/run.ts";
import type { Uses } from "../runs/ports.ts";
import { createRunToken, revokeRunToken, validTokens } from "../runs/control/run-tokens.ts";
import type { Run } from "../runs/run-types.ts";

interface Call<Caller> {
  principal: Caller;
  path: { run_id: string };
}

/** The handlers of tokens that read one run. `find`: rejects for a run that the caller may not see. `by`: who does it. */
export function tokenHandlers<Caller>(
  deps: Uses<"runs" | "now" | "actor">,
  find: (caller: Caller, id: string) => Promise<Run>,
  by: (caller: Caller) => Partial<Uses<"actor">>,
) {
  return {
    async create_run_token({ principal, path, body }: Call<Caller> & { body: { expires_in?: number } | undefined }) {
      const { id } = await find(principal, path.run_id);
      const created = await createRunToken({ ...deps, ...by(principal) }, id, body?.expires_in);
      return wirePart("CreatedRunToken", created);
    },

    async list_run_tokens({ principal, path }: Call<Caller>) {
      const run = await find(principal, path.run_id);
      const data = validTokens(run, deps.now()).map((token) => wirePart("RunToken", token));
      return { data, next: null } satisfies SharedSchemas["RunTokenList"];
    },

    async revoke_run_token({ principal, path }: Call<Caller> & { path: { token_id: string } }) {
      const { id } = await find(principal, path.run_id);
      await revokeRunToken({ ...deps, ...by(principal) }, id, path.token_id);
    },
  };
}

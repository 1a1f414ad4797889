import type { Command } from "commander";
import type { SharedSchemas } from "../../../src/http/rest/schemas/schema-types.ts";
import { CliError } from "../../cli.ts";
import type { Action } from "../action.ts";
import type { Given } from "../call.ts";
import { record } from "../output.ts";

/** A new token of a run. */
export function tokenText(created: SharedSchemas["CreatedRunToken"], { run_id: run }: Given): string {
  const advice =
    "The token is shown only once. Anyone who has it can read the run with its texts and files.\n" +
    "On one machine, the address /console/share#TOKEN of the service shows the run.";
  return `${record(created).text}\n\n${advice}\nRevoke it: run unshare ${String(run)} ${created.id}`;
}

/** Adds the command that revokes one token of a run, or all. */
export function addShareCommand(run: Command, action: Action): void {
  run
    .command("unshare")
    .description("Revoke a token of a run, or all of them.")
    .argument("<ID>", "ID of the run")
    .argument("[TOKEN]", "the id of the token (default: all tokens of the run)")
    .action(
      action(async ({ call }, run_id: string, token: string | undefined) => {
        const { data } = await call<SharedSchemas["RunTokenList"]>("list_run_tokens", { run_id });
        const ids = data.map(({ id }) => id);
        const revoked = token === undefined ? ids : ids.filter((each) => each === token);
        if (token !== undefined && revoked.length === 0) {
          const valid = ids.length === 0 ? "it has none" : `its valid tokens are ${ids.join(", ")}`;
          throw new CliError(`run ${run_id} has no valid token ${JSON.stringify(token)}; ${valid}`);
        }
        for (const token_id of revoked) await call("revoke_run_token", { run_id, token_id });
        const text = revoked.length === 0 ? `Run ${run_id} has no valid tokens.` : `Revoked ${revoked.join(", ")}.`;
        return { text, json: { revoked } };
      }),
    );
}

import type { Command } from "commander";
import { findRunHead } from "../../src/runs/read/find-run.ts";
import { createRunToken, revokeRunToken, validTokens } from "../../src/runs/run-tokens.ts";
import { tokenSeconds } from "../../src/runs/token-limits.ts";
import { CliError } from "../cli.ts";
import type { Action } from "./action.ts";
import { isoTime, record } from "./output.ts";

export function addShareCommands(run: Command, action: Action): void {
  run
    .command("share")
    .description("Create a token that reads a run over /ext/v1, and nothing else (shown only once).")
    .argument("<ID>", "run")
    .option("--for <TIME>", "how long it is valid, such as 90m, 1h or 7d", "1h")
    .action(
      action(async ({ runs, actor }, id: string, options: { for: string }) => {
        const seconds = secondsOf(options.for);
        const created = await createRunToken({ runs, now: Date.now, actor: await actor() }, id, seconds);
        const { text, json } = record({
          token: created.token,
          id: created.id,
          created_at: isoTime(created.createdAt),
          expires_at: isoTime(created.expiresAt),
        });
        const advice =
          "The token is shown only once. Anyone who has it can read the run with its texts and files.\n" +
          "On one machine, the address /console/share#TOKEN of the service shows the run.";
        return { text: `${text}\n\n${advice}\nRevoke it: run unshare ${id} ${created.id}`, json };
      }),
    );
  run
    .command("unshare")
    .description("Revoke a token of a run, or all of them.")
    .argument("<ID>", "run")
    .argument("[TOKEN]", "the id of the token (default: all tokens of the run)")
    .action(
      action(async ({ runs, actor }, id: string, token: string | undefined) => {
        const deps = { runs, now: Date.now, actor: await actor() };
        const ids = validTokens(await findRunHead(runs, id), Date.now()).map((each) => each.id);
        const revoked = token === undefined ? ids : ids.filter((each) => each === token);
        if (token !== undefined && revoked.length === 0) {
          const valid = ids.length === 0 ? "it has none" : `its valid tokens are ${ids.join(", ")}`;
          throw new CliError(`run ${id} has no valid token ${JSON.stringify(token)}; ${valid}`);
        }
        for (const each of revoked) await revokeRunToken(deps, id, each);
        const text = revoked.length === 0 ? `Run ${id} has no valid tokens.` : `Revoked ${revoked.join(", ")}.`;
        return { text, json: { revoked } };
      }),
    );
}

const unitSeconds: Record<string, number> = { m: 60, h: 3_600, d: 86_400 };

/** The value of `--for`, in seconds. */
function secondsOf(text: string): number {
  const [, count, unit = ""] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  const seconds = Number(count) * (unitSeconds[unit] ?? NaN);
  if (seconds >= tokenSeconds.least && seconds <= tokenSeconds.most) return seconds;
  throw new CliError(`--for is ${JSON.stringify(text)}; expected 1m to 30d, such as 90m, 1h or 7d`);
}

import type { Command } from "commander";
import type { Action } from "./action.ts";
import { maxListed, timeOf, wholeNumber } from "./option-values.ts";
import { isoTime, table } from "./output.ts";

export function addAuditCommand(program: Command, action: Action): void {
  program
    .command("audit")
    .description("List what operators did, newest first.")
    .option("--since <TIME>", "only actions since this time, such as 2026-11-01 or 2026-11-01T08:00Z")
    .option("--until <TIME>", "only actions before this time")
    .option("--limit <N>", `number of actions, at most ${maxListed}`, "50")
    .action(
      action(async ({ accounts }, { since, until, limit }: { since?: string; until?: string; limit: string }) => {
        const query = {
          since: since === undefined ? 0 : timeOf("--since", since),
          ...(until !== undefined && { until: timeOf("--until", until) }),
          limit: wholeNumber("--limit", limit, maxListed),
        };
        const rows = (await accounts.listAudit(query)).map(({ at, actor, action: what, id, version }) => {
          return { at: isoTime(at), actor, action: what, id, version };
        });
        // The actor is last: the session name at the end of a long ARN tells people apart, and the last column is not cut.
        return table(rows, ["at", "action", "id", "version", "actor"], "No actions.");
      }),
    );
}

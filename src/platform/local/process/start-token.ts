import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Actor } from "../../../accounts/audit.ts";
import { createOperator, revokeOperator } from "../../../accounts/operators.ts";
import { tokenHash } from "../../../accounts/token.ts";
import type { Accounts } from "../../../accounts/account-types.ts";

/**
 * The operator token of the link that each start prints. It is kept in the data directory, readable by its owner only: a
 * user who can read it can also open the database. So the link stays the same until the token is revoked, links of earlier
 * starts do not pile up, and an open page works after a restart. A token that other users could read is replaced.
 */
export async function startToken(accounts: Accounts, dataDir: string, actor: Actor): Promise<string> {
  const file = join(dataDir, "console-token");
  const kept = read(file);
  const hash = kept && tokenHash("ao", kept.token);
  const operator = hash === undefined ? undefined : await accounts.findOperator(hash);
  if (kept?.isPrivate && operator?.enabled) return kept.token;
  if (operator?.enabled) await revokeOperator(accounts, operator.id, actor);
  const { token } = await createOperator(accounts, { name: actor, role: "operator" }, actor);
  const next = `${file}.new`; // renamed, because writing to an existing file keeps its mode
  rmSync(next, { force: true });
  writeFileSync(next, `${token}\n`, { mode: 0o600 });
  renameSync(next, file);
  return token;
}

function read(file: string): { token: string; isPrivate: boolean } | undefined {
  const status = statSync(file, { throwIfNoEntry: false });
  if (!status?.isFile()) return undefined;
  const isPrivate = process.platform === "win32" || (status.mode & 0o077) === 0; // Windows does not have these modes
  return { token: readFileSync(file, "utf8").trim(), isPrivate };
}

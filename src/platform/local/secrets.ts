import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import {
  hostRefused,
  mayBeSentTo,
  secretMissing,
  SecretRefused,
  type Secrets,
  type SecretUse,
} from "../../agent/secret.ts";
import { commandLine } from "../../command-line.ts";
import { type NotAllowed, type SecretAllowList, usualSecrets } from "./process/allowed-secrets.ts";
import type { StoredSecrets } from "./process/stored-secrets.ts";

/**
 * Secrets of one machine, if they are on the allow-list.
 * - `env:NAME`: a variable of `environment`.
 * - `file:PATH`: a file, relative to the data directory, without surrounding white space. Readable by its owner only.
 * Those of `stored` need no entry: they belong to one organization and name their hosts.
 */
export function localSecrets(
  environment: Record<string, string | undefined>,
  dataDir: string,
  allowList: SecretAllowList,
  stored: StoredSecrets,
): Secrets {
  const find = (secret: string): string | undefined => {
    const [, kind, name = ""] = secretName.exec(secret) ?? [];
    if (kind === "env") return environment[name] || undefined;
    const path = resolve(dataDir, name);
    if (stored.find(secret)) return stored.read(path)?.value;
    if (kind !== "file" || secretFileProblem(path) !== undefined) return undefined;
    return readFileSync(path, "utf8").trim() || undefined;
  };
  const check = (secret: string, use: SecretUse): NotAllowed | undefined => {
    const own = stored.find(secret);
    if (!own) return allowList.check(secret, use);
    if (own.organizationId !== use.organizationId) return { refusal: "is not one of the organization's secrets" };
    return mayBeSentTo(use.url, stored.read(own.path)?.hosts) ? undefined : { refusal: hostRefused };
  };
  return {
    secretRefusal(secret, use) {
      return check(secret, use)?.refusal ?? (find(secret) === undefined ? secretMissing : undefined);
    },
    async secretOf(secret, use) {
      const notAllowed = check(secret, use);
      if (notAllowed) throw new SecretRefused(notAllowed.refusal);
      return find(secret);
    },
    // The value of `env:NAME` is not checked: the environment of the server counts, not that of the command.
    async secretProblem(secret, use) {
      const [, kind, name = ""] = secretName.exec(secret) ?? [];
      if (kind === undefined) return "on one machine, a secret is env:NAME or file:PATH.";
      const notAllowed = check(secret, use);
      if (notAllowed && stored.find(secret)) return `${secret} ${notAllowed.refusal}; enter the key again.`;
      if (notAllowed?.option)
        return `the service was not started with ${notAllowed.option}; start it with this option first.`;
      const problem = kind === "file" ? secretFileProblem(resolve(dataDir, name)) : undefined;
      return problem && `${resolve(dataDir, name)} ${problem}.`;
    },
    storeSecret: async (organizationId, name, secret) => stored.write(organizationId, name, secret),
    acceptedSecrets() {
      const { entries } = allowList;
      const others = [...usualSecrets].filter((secret) => !entries.includes(secret));
      const [found, missing] = [true, false].map((exists) =>
        others.filter((secret) => (find(secret) !== undefined) === exists),
      );
      const forHeaders =
        entries.length === 0 ? "none is" : `${entries.join(", ")} ${entries.length === 1 ? "is" : "are"}`;
      return {
        accepted: [...entries, ...(found ?? []), ...(missing ?? [])],
        hint:
          `A secret is env:NAME or file:PATH. Models may use the variables of providers. For headers of MCP servers, ` +
          `${forHeaders} allowed. To allow more, pass --allow-secret to ${commandLine("start")}.`,
      };
    },
  };
}

const secretName = /^(env|file):(.+)$/;

/** Why a file cannot be used as a secret, as the end of a sentence. Undefined: it can. */
function secretFileProblem(path: string): string | undefined {
  try {
    const status = statSync(path, { throwIfNoEntry: false });
    if (!status?.isFile()) return "is not a file";
    // Windows does not have these modes.
    if (process.platform !== "win32" && (status.mode & 0o077) !== 0) {
      return `is accessible to other users (mode ${(status.mode & 0o777).toString(8)}; run chmod 600)`;
    }
    accessSync(path, constants.R_OK);
    return status.size === 0 ? "is empty" : undefined;
  } catch (error) {
    return `cannot be read by the user that the service runs as (${(error as NodeJS.ErrnoException).code})`;
  }
}

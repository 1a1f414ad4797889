import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";

/**
 * Resolves `env:NAME` from `environment` and `file:PATH` (relative to the data folder) from disk, without the line
 * break at its end. There is no secret when it is empty, and when its file can't be read or may be used by others.
 */
export function localSecrets(environment: Record<string, string | undefined>, dataDir: string) {
  const find = (secret: string): string | undefined => {
    const [, kind, name = ""] = /^(env|file):(.+)$/.exec(secret) ?? [];
    if (kind === "env") return environment[name] || undefined;
    const path = resolve(dataDir, name);
    if (kind !== "file" || secretFileProblem(path) !== undefined) return undefined;
    return readFileSync(path, "utf8").trim() || undefined;
  };
  return {
    secretExists: (secret: string): boolean => find(secret) !== undefined,
    secretOf: async (secret: string): Promise<string | undefined> => find(secret),
  };
}

/**
 * Why a service with this data folder can't use a secret by this name, as a sentence; undefined when it can. Of
 * `env:NAME` only the form is looked at: it is the environment of the server that counts.
 */
export function localSecretProblem(secret: string, dataDir: string): string | undefined {
  const [, kind, name = ""] = /^(env|file):(.+)$/.exec(secret) ?? [];
  if (kind === undefined) return "on one machine a secret is env:NAME or file:PATH.";
  const problem = kind === "file" ? secretFileProblem(resolve(dataDir, name)) : undefined;
  return problem && `${resolve(dataDir, name)} ${problem}.`;
}

/** Why a file can't be used as a secret, as the end of a sentence; undefined when it can. */
function secretFileProblem(path: string): string | undefined {
  try {
    const status = statSync(path, { throwIfNoEntry: false });
    if (!status?.isFile()) return "is no file";
    // Windows has no such modes.
    if (process.platform !== "win32" && (status.mode & 0o077) !== 0) {
      return `may be used by others (mode ${(status.mode & 0o777).toString(8)}; chmod 600 fixes it)`;
    }
    accessSync(path, constants.R_OK);
    return status.size === 0 ? "is empty" : undefined;
  } catch (error) {
    return `can't be read by the user that the service runs as (${(error as NodeJS.ErrnoException).code})`;
  }
}

import { readFileSync } from "node:fs";
import { resolve } from "node:path";

/**
 * Resolves `env:NAME` from `environment` and `file:PATH` (relative to the data folder) from disk, without the line
 * break at its end. Undefined when there is none, or it is empty.
 */
export function localSecrets(environment: Record<string, string | undefined>, dataDir: string) {
  return (secret: string): string | undefined => {
    const [, kind, name = ""] = /^(env|file):(.+)$/.exec(secret) ?? [];
    if (kind === "env") return environment[name] || undefined;
    if (kind !== "file") return undefined;
    try {
      return readFileSync(resolve(dataDir, name), "utf8").trim() || undefined;
    } catch {
      return undefined; // missing and unreadable are the same to a run: no usable secret
    }
  };
}

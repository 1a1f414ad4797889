import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { formatSecret, parseSecret, type SecretValue } from "../../../agent/secret.ts";

/** The secrets that operators entered, as files that only the service's user can read. */
export interface StoredSecrets {
  /** The organization and file of a secret that is in this store. Undefined: it is none. */
  find: (secret: string) => { organizationId: string; path: string } | undefined;
  /** Undefined: it does not exist or cannot be read. */
  read: (path: string) => SecretValue | undefined;
  /** Replaces the secret. Returns its location. */
  write: (organizationId: string, name: string, secret: SecretValue) => string;
  /** Deletes all secrets of an organization. */
  remove: (organizationId: string) => void;
}

const location = /^file:secrets\/([0-9a-f-]{36})\/([\w-]{1,64})$/;

/** Secrets below `secrets/ORGANIZATION` in the data directory. */
export function storedSecrets(dataDir: string): StoredSecrets {
  const folderOf = (organizationId: string): string => join(dataDir, "secrets", organizationId);
  return {
    find(secret) {
      const [, organizationId, name] = location.exec(secret) ?? [];
      return organizationId !== undefined && name !== undefined
        ? { organizationId, path: join(folderOf(organizationId), name) }
        : undefined;
    },
    read(path) {
      try {
        return parseSecret(readFileSync(path, "utf8"));
      } catch {
        return undefined; // missing, or not written by `write`
      }
    },
    write(organizationId, name, secret) {
      const folder = folderOf(organizationId);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const path = join(folder, name);
      writeFileSync(`${path}.new`, formatSecret(secret), { mode: 0o600, flush: true });
      renameSync(`${path}.new`, path);
      return `file:secrets/${organizationId}/${name}`;
    },
    remove: (organizationId) => rmSync(folderOf(organizationId), { recursive: true, force: true }),
  };
}

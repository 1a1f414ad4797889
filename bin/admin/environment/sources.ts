import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Files of the folder that no build reads. */
const notRead = new Set([".dockerignore", "requirements.in", "update-requirements.sh"]);

/**
 * Identifies what the environment "linux" is built from: `sha256:` and 64 hex digits. Another release has another digest if it lists
 * other packages or builds otherwise. `folder`: that of its Dockerfile.
 */
export function digestOfSources(folder: string): string {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !notRead.has(entry.name));
  const digest = createHash("sha256");
  for (const path of files.map(({ parentPath, name }) => join(parentPath, name)).toSorted()) {
    const content = createHash("sha256").update(readFileSync(path)).digest("hex");
    digest.update(`${path.slice(folder.length)}\t${content}\n`);
  }
  return `sha256:${digest.digest("hex")}`;
}

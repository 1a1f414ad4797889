import type { RunFile } from "../api.ts";

/** M: changed, A: new, D: deleted. */
export type ChangeLetter = "M" | "A" | "D";

/** A file at one point of the run, and how it differs from another point. */
export interface ListedFile {
  file: RunFile;
  change?: ChangeLetter;
}

/** The files after a step, compared with those after another. `before` undefined: nothing to compare with. */
export function compareFiles(before: RunFile[] | undefined, after: RunFile[]): ListedFile[] {
  if (!before) return after.map((file) => ({ file }));
  const old = new Map(before.map((file) => [file.name, file]));
  const listed: ListedFile[] = after.map((file) => {
    const known = old.get(file.name);
    old.delete(file.name);
    if (!known) return { file, change: "A" };
    return isSame(known, file) ? { file } : { file, change: "M" };
  });
  for (const file of old.values()) listed.push({ file, change: "D" });
  return listed.toSorted((a, b) => (a.file.name < b.file.name ? -1 : 1));
}

/** Files of version 0.1 have no hash: their sizes are compared. */
function isSame(a: RunFile, b: RunFile): boolean {
  return a.sha256 === null || b.sha256 === null ? a.size === b.size : a.sha256 === b.sha256;
}

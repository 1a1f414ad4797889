import type { FileMetadata, StoredFile } from "../../sandbox/linux/linux-types.ts";
import { fileLine, type Files, joinLimited } from "./files/files.ts";
import { errorOutput, type ToolOutput } from "./tool.ts";

/** A file that a program wrote. `problem`: why it must not be saved. */
interface WrittenFile extends FileMetadata {
  name: string;
  size: number;
  /** Only its time or its permissions differ from before. */
  hasSameContent?: boolean;
  problem?: string | undefined;
  /** Writes it to the workspace. */
  save(): Promise<void>;
}

/**
 * Saves what a program changed to the workspace. Returns notes for the model. No file is deleted when one cannot be saved: it
 * may be the same file under a new name. `isPartial`: there are such files beside `written`. `isOfProgram`: a
 * program chose the names. Called in `files.update`.
 */
export async function saveChanges(
  files: Files,
  written: WrittenFile[],
  deleted: string[],
  { isPartial = false, isOfProgram = false } = {},
): Promise<string[]> {
  if (written.length === 0 && deleted.length === 0) return [];
  const gone = deleted.length > 0 ? (await files.stored()).filter(({ name }) => deleted.includes(name)) : [];
  // Deleted first: a file may have got a new name that differs only in case, and a full workspace gets room.
  for (const { name } of gone) await files.remove(name);
  const saved: WrittenFile[] = [];
  const problems: string[] = [];
  for (const file of written) {
    const problem = file.problem ?? (await files.problemOf(file, isOfProgram));
    if (problem === undefined) {
      await file.save();
      saved.push(file);
    } else problems.push(`${JSON.stringify(file.name)} was not saved. ${problem}`);
  }
  const kept = problems.length > 0 || isPartial ? await restore(files, gone) : [];
  const lost = gone.filter((file) => !kept.includes(file) && file.kind !== "folder").map(({ name }) => name);
  const wrote = saved.filter(({ kind, hasSameContent }) => kind !== "folder" && !hasSameContent);
  const touched = saved.filter(({ kind, hasSameContent }) => kind !== "folder" && hasSameContent);
  const changes = [
    ...(wrote.length > 0 ? [`Wrote ${joinLimited(wrote.map(fileLine))}.`] : []),
    ...(touched.length > 0 ? [`Changed times or permissions of ${joinLimited(touched.map(({ name }) => name))}.`] : []),
    ...(lost.length > 0 ? [`Deleted ${joinLimited(lost)}.`] : []),
  ];
  return [
    ...(changes.length > 0 ? [changes.join(" ")] : []),
    ...problems.slice(0, maxProblems),
    ...(problems.length > maxProblems
      ? [`${problems.length - maxProblems} more files were not saved for such reasons.`]
      : []),
    ...(kept.length > 0
      ? [`Not deleted, because a file could not be saved: ${joinLimited(kept.map(({ name }) => name))}.`]
      : []),
  ];
}

/** Problems that are listed one by one. */
const maxProblems = 20;

/** Writes deleted files again, except those in whose place another one is now. Returns them. */
async function restore(files: Files, deleted: StoredFile[]): Promise<StoredFile[]> {
  const restored: StoredFile[] = [];
  const now = new Set((await files.stored()).map(({ name }) => name));
  for (const file of deleted) {
    if (now.has(file.name) || (await files.problemOf(file, true)) !== undefined) continue;
    await files.adopt(file);
    restored.push(file);
  }
  return restored;
}

/** What a program printed, what it changed, and why it failed. `problem`, `notes`: sentences. */
export function programOutput(output: string, notes: string[], problem: string | undefined): ToolOutput {
  const isSilent = output === "" && problem === undefined && notes.length === 0;
  const printed = isSilent ? "The program printed nothing and changed no files." : output.replace(/\n$/, "");
  const text = [printed, ...notes.map((note) => `[${note}]`), problem].filter(Boolean).join("\n");
  return problem === undefined ? { text } : errorOutput(text);
}

import { hash } from "node:crypto";
import type { FileInfo } from "../tools/files.ts";

/**
 * A file with one content, or the deletion of a file. `sha256`: hex hash of the content. Absent: the file was deleted, or
 * written by version 0.1, which recorded none.
 */
export interface FileVersion extends FileInfo {
  sha256?: string;
  /** The name that the create sent. Absent: the same name, not a file of the create, or an earlier release recorded it. */
  sentAs?: string;
  /** The file does not exist from here on. `size` is 0. */
  deleted?: true;
}

/** `old`: SHA-256 of earlier contents that are kept, newest first. Absent: none. */
export interface ManifestFile extends FileVersion {
  old?: string[];
}

/** The files of a workspace at one point of a run, by name. A deleted file stays while old contents are kept. Never mutated. */
export type Manifest = ReadonlyMap<string, ManifestFile>;

/** Default of the number of old contents that are kept of each file name. */
export const defaultFileVersions = 20;

export function sha256Of(content: Uint8Array): string {
  return hash("sha256", content, "hex");
}

export function manifestOf(files: ManifestFile[]): Manifest {
  return new Map(files.map((file) => [file.name, file]));
}

/** The files that exist, sorted by name. */
export function filesIn(manifest: Manifest): ManifestFile[] {
  const files = [...manifest.values()].filter(({ deleted }) => !deleted);
  return files.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Names and sizes of the files that exist, sorted by name. */
export function infosIn(manifest: Manifest): FileInfo[] {
  return filesIn(manifest).map(({ name, size }) => ({ name, size }));
}

/**
 * The files that exist, sorted by name, and then the deleted ones with kept contents, in the order of their deletion. This
 * is what a run stores.
 */
export function entriesIn(manifest: Manifest): ManifestFile[] {
  return [...filesIn(manifest), ...[...manifest.values()].filter(({ deleted }) => deleted)];
}

/** Deleted files of a run whose contents are kept. A manifest has at most this many beside its files. */
export const maxDeletedFiles = 2_000;

/**
 * The manifest after changes, in their order. More than `maxDeletedFiles` drop the one that was deleted first.
 * - `keep`: number of old contents that are kept of each file name.
 * - `dropped`: contents that are no longer kept under one of the names.
 */
export function applyChanges(
  manifest: Manifest,
  changes: FileVersion[],
  keep: number,
): { manifest: Manifest; dropped: string[] } {
  const files = new Map(manifest);
  const dropped: string[] = [];
  const deletedNames = new Set([...manifest.values()].flatMap(({ name, deleted }) => (deleted ? name : [])));
  for (const { name, size, sha256, deleted } of changes) {
    const before = files.get(name);
    const superseded = [before?.sha256, ...(before?.old ?? [])].filter((each) => each !== undefined && each !== sha256);
    const old = (superseded as string[]).slice(0, keep);
    dropped.push(...(superseded as string[]).slice(keep));
    deletedNames.delete(name);
    if (deleted) {
      files.delete(name); // so that it follows those that were deleted earlier
      if (old.length === 0) continue;
      files.set(name, { name, size: 0, deleted, old });
      deletedNames.add(name);
      const [first] = deletedNames;
      if (deletedNames.size <= maxDeletedFiles || first === undefined) continue;
      dropped.push(...(files.get(first)?.old ?? []));
      files.delete(first);
      deletedNames.delete(first);
      continue;
    }
    files.set(name, { name, size, ...(sha256 !== undefined && { sha256 }), ...(old.length > 0 && { old }) });
  }
  return { manifest: files, dropped };
}

/**
 * SHA-256 of the names and contents: of the JSON array of pairs [name, sha256], sorted by name. Undefined when the hash of
 * a file is unknown.
 */
export function manifestHash(manifest: Manifest): string | undefined {
  const files = filesIn(manifest).map(({ name, sha256 }) => [name, sha256]);
  return files.some(([, sha256]) => sha256 === undefined) ? undefined : sha256Of(Buffer.from(JSON.stringify(files)));
}

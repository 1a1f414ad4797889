import { hash } from "node:crypto";
import type { FileMetadata } from "../../../sandbox/linux/linux-types.ts";
import type { FileInfo } from "../../tools/files/files.ts";

/**
 * A file with one content, or the deletion of a file. `sha256`: hex hash of the content. Absent: the file was deleted.
 */
export interface FileVersion extends FileInfo, FileMetadata {
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

/** A file that exists. */
export type ExistingFile = ManifestFile & { sha256: string };

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
export function filesIn(manifest: Manifest): ExistingFile[] {
  const files = [...manifest.values()].filter((file): file is ExistingFile => file.sha256 !== undefined);
  return files.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Names and sizes of the regular files that exist, sorted by name. */
export function infosIn(manifest: Manifest): FileInfo[] {
  return filesIn(manifest).flatMap(({ name, size, kind }) => (kind === undefined ? { name, size } : []));
}

/** What a file has besides its name and its content. */
export function metadataOf({ mtime, mode, kind, linked }: FileMetadata): FileMetadata {
  return {
    ...(mtime !== undefined && { mtime }),
    ...(mode !== undefined && { mode }),
    ...(kind !== undefined && { kind }),
    ...(linked !== undefined && { linked }),
  };
}

/** The files that exist, without folders that something is in: its name shows them. Sorted by name. */
export function visibleIn(manifest: Manifest): ExistingFile[] {
  return visibleOf(filesIn(manifest));
}

/** As `visibleIn`, of all files that exist. */
export function visibleOf<File extends Pick<FileVersion, "name" | "kind">>(files: File[]): File[] {
  const used = new Set(files.map(({ name }) => name.slice(0, Math.max(0, name.lastIndexOf("/")))));
  return files.filter(({ name, kind }) => kind !== "folder" || !used.has(name));
}

/** Links and empty folders, sorted by name. */
export function othersIn(manifest: Manifest): FileVersion[] {
  return visibleIn(manifest).filter(({ kind }) => kind !== undefined);
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
  for (const { name, size, sha256, deleted, ...others } of changes) {
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
    const content = { size, ...(sha256 !== undefined && { sha256 }), ...metadataOf(others) };
    files.set(name, { name, ...content, ...(old.length > 0 && { old }) });
  }
  return { manifest: files, dropped };
}

/**
 * SHA-256 of the names and contents: of the JSON array of pairs [name, sha256], sorted by name, with the kind of a link. Folders,
 * times and permissions do not count.
 */
export function manifestHash(manifest: Manifest): string {
  const files = filesIn(manifest)
    .filter(({ kind }) => kind !== "folder")
    .map(({ name, sha256, kind }) => (kind === undefined ? [name, sha256] : [name, sha256, kind]));
  return sha256Of(Buffer.from(JSON.stringify(files)));
}

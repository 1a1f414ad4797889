import type { Attachment } from "../../model.ts";
import type { FileLimits } from "../../tools/files/file-limits.ts";
import type { FileInfo, Files } from "../../tools/files/files.ts";
import type { FileVersion, ManifestFile } from "./manifest.ts";

/** Store of the contents of a run's files. */
export interface FileContents {
  read(sha256: string): Promise<Uint8Array | undefined>;
  /** Idempotent. Resolves when the content is durable. */
  write(sha256: string, content: Uint8Array): Promise<void>;
  /** Best effort; never rejects. */
  remove(sha256s: string[]): Promise<void>;
}

/**
 * What a result changed: the new contents, the hash of the manifest with them, and the bytes that all files have more than
 * before (absent: 0). Empty: no file.
 */
export interface FileChanges {
  files?: FileVersion[];
  manifest?: string;
  fileBytes?: number;
}

/** The workspace during a turn. Its files are those of the recorded results. */
export interface TurnFiles {
  /** Sorted by name. */
  list(): Promise<FileInfo[]>;
  /** Undefined when the content is no longer kept. */
  readAttachment: (attachment: Attachment) => Promise<Uint8Array | undefined>;
  startCall(): Promise<CallFiles>;
  /** The files after the results of the turn. Undefined: they changed none. */
  changed(): Promise<ManifestFile[] | undefined>;
  /** Resolves when no removal of a dropped content is in progress. */
  settled(): Promise<void>;
}

/**
 * The workspace as one tool call sees it: as it was when the call started, with the call's own changes. From its first
 * change on, the call also sees the changes of calls that changed files before it. `end` or `discard` ends it.
 */
export interface CallFiles extends Files {
  find(name: string): FileVersion | undefined;
  /**
   * Records the call's result with its changes, which calls that start later then see. Results that changed files are
   * recorded in the order of their first change, so that a recorded result never builds on a lost one.
   */
  end(record: (changes: FileChanges) => Promise<boolean>): Promise<boolean>;
  /** Drops the changes. The results of calls that may have seen them cannot be recorded: their `end` rejects with `reason`. */
  discard(reason: unknown): void;
}

export interface TurnFilesConfig {
  contents: FileContents;
  /** Reads the files at the start of the turn. Called at the first use. */
  atStart: () => ManifestFile[] | Promise<ManifestFile[]>;
  /** Changes of the recorded results of the turn, in the order in which they were recorded. */
  changes: FileVersion[][];
  /** SHA-256 of contents that are never removed. */
  pinned: Iterable<string>;
  /** Number of old contents that are kept of each file name. */
  keep: number;
  /** Default of each: that of `defaultFileLimits`. */
  limits?: Partial<FileLimits> | undefined;
  /** What quotas leave for further files. Read when a call first writes. Absent, or undefined: there is no quota. */
  storage?: () => Promise<{ scope: string; limit: number; left: number } | undefined>;
  /** No file is written once it is aborted: the run may have been deleted. */
  signal: AbortSignal;
}

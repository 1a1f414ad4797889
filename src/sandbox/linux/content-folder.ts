import type { FileHandle } from "node:fs/promises";

/** Where a sandbox on this machine takes the contents of one run from, and puts new ones. */
export interface ContentFolder {
  /** Each content is a file in it, whose name is `contentName` of its hash. There is no folder before the first one. */
  folder: string;
  /** Makes a file at `path` with a stored content, of which nothing else is a name. */
  copy: (sha256: string, path: string) => Promise<void>;
  /** When a content was stored, in microseconds since 1970. */
  timeOf: (sha256: string) => Promise<number>;
  /** Stores a regular file that a program wrote as a content of the run. Rejects with the reason of `signal` when it aborts. */
  store: (file: UntrustedFile, signal: AbortSignal) => Promise<{ sha256: string; size: number }>;
  /** Resolves when the stored contents are durable. */
  settle: () => Promise<void>;
}

/** A file that a program wrote. `content`: the target of a link, or nothing for a folder. */
export type UntrustedFile = { open: () => Promise<FileHandle> } | { content: Buffer };

/** What a workspace keeps of a file besides its content. */
export interface FileMetadata {
  /** Time of the last modification, in microseconds since 1970. Absent: programs see that of the storing of its content. */
  mtime?: number;
  /** Bits of the permissions. Absent: 0o644, of a folder 0o755. */
  mode?: number;
  /**
   * Absent: a regular file. The content of a symbolic link is its target. A folder has an empty content; one without an entry
   * exists if a file is in it.
   */
  kind?: "link" | "folder";
  /** Files of the same number are hard links of each other. */
  linked?: number;
}

/** A file of a workspace whose content is stored. `name`: a path such as `reports/q3.csv`. `sha256`: hex. */
export interface StoredFile extends FileMetadata {
  name: string;
  size: number;
  sha256: string;
}

/** A program for a real Linux. */
export interface LinuxProgram {
  language: "shell" | "python";
  text: string;
  /** The whole workspace. The program sees exactly these files, in its working directory. */
  files: readonly StoredFile[];
  /** Time limit in seconds, by the clock. */
  seconds: number;
  /** What is left for the files after the program. Absent: they are checked when they are saved. */
  room?: Room;
}

/** Bytes that all files of a workspace may have together. `limit`: why, as the part of a sentence. */
export interface Room {
  bytes: number;
  limit: string;
}

/** How a program ended, and what it changed. After a `problem`, the other fields have what could be saved. */
export interface LinuxResult {
  /** Standard output and standard error in the order of writing. */
  output: string;
  /** Of the program; 128 + n after signal n. Absent: it was stopped, or did not start. */
  exitCode?: number;
  /** Why the program failed. One sentence. */
  problem?: string;
  /** New files, and files whose content differs. Their contents are stored durably in the run's workspace. */
  changed: StoredFile[];
  /** Names of files that the program deleted or renamed. */
  deleted: string[];
  /** What was not saved or not returned. Sentences. */
  notes: string[];
  /** A file was not saved. It may be one of `deleted` under another name. */
  isPartial?: boolean;
  /** SHA-256 of contents that were stored and belong to no file of `changed`. */
  unused?: string[];
}

/** What an environment has. It is written when the environment is built, and never changed by a program. */
export interface EnvironmentFacts {
  /** As agent files name it: `linux` is the default. */
  name: string;
  /** Identifies the content: `sha256:` and 64 hex digits. */
  digest: string;
  /** `Debian 13`, for the model and operators. */
  system: string;
  /** Version by program, such as `{ gawk: "5.2.1" }`. */
  programs: Record<string, string>;
  /** Version of Python, and versions by library. */
  python: { version: string; libraries: Record<string, string> };
}

/** The environment of an agent that names none. */
export const defaultEnvironment = "linux";

/** What runs the programs of an environment. */
export type LinuxEngine = "bubblewrap" | "docker" | "podman" | "lambda";

/**
 * Runs model-written programs in a real Linux, for one run. Contract:
 * - A program gets only the files of its request, in its working directory: no environment variables of the host, no
 *   host files, no network.
 * - A program that exceeds its time, memory, processes, disk or output is stopped, which is a `problem`. All of its
 *   processes end with the call. The next call works.
 * - `run` stops the program and rejects with the signal's reason when the signal aborts.
 * - `run` rejects with `StoreUnavailable` when the sandbox or the store of contents is not available now.
 */
export interface Linux {
  engine: LinuxEngine;
  facts: EnvironmentFacts;
  /** `onOutput` gets output as it is written; it never blocks the program. */
  run(program: LinuxProgram, signal: AbortSignal, onOutput?: (text: string) => void): Promise<LinuxResult>;
}

/** Why an environment cannot be used here, and what to do. One or two sentences for the model and the operator. */
export interface NoLinux {
  unavailable: string;
}

/**
 * An environment that agents can name: what runs its programs and what it has, if that is known already, or why it cannot be
 * used here.
 */
export type KnownEnvironment =
  | Pick<Linux, "engine" | "facts">
  | (Pick<Linux, "engine"> & { name: string })
  | ({ name: string } & NoLinux);

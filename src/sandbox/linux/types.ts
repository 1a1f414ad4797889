/** A file of a workspace whose content is stored. `name`: a path such as `reports/q3.csv`. `sha256`: hex. */
export interface StoredFile {
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

/** Where a sandbox on this machine takes the contents of one run from, and puts new ones. */
export interface ContentFolder {
  /** Gives a stored content a further name, `path`, on the same file system as the store. It must not be written to. */
  link: (sha256: string, path: string) => Promise<void>;
  /** Stores copies of regular files as contents of the run. Resolves, in the same order, when they are durable. */
  store: (paths: string[]) => Promise<{ sha256: string; size: number }[]>;
}

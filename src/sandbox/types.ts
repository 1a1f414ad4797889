import type { DocumentKind } from "../documents/read-document.ts";

/** What a sandbox runs: programs that a model wrote, and readers of documents that somebody else made. */
export type SandboxEngine = "javascript" | "shell" | DocumentKind;

export interface SandboxFile {
  /** Flat, as in the workspace. */
  name: string;
  content: Uint8Array;
}

/** `program`: the source; empty for a document, which is the one file. `seconds`: wall clock, from its start. */
export interface SandboxRequest {
  engine: SandboxEngine;
  program: string;
  files: SandboxFile[];
  seconds: number;
}

/**
 * `output`: what was printed, or the document's text. `problem`: why it did not end well, one sentence; what was
 * printed and written until then is there all the same, as far as it could be saved. `written`: new files, and those whose content
 * changed. `notes`: sentences about what is not kept.
 */
export interface SandboxResult {
  output: string;
  problem?: string;
  written: SandboxFile[];
  notes: string[];
}

/**
 * Runs a program with nothing but the files it is given: no environment, no files of the host, no network. It is ended
 * when its time, memory or output is used up, which is a `problem`; the next call works.
 */
export interface Sandbox {
  /** Bytes of all files of one request. */
  maxBytes: number;
  /** Ends the program and rejects with the signal's reason when it aborts. */
  run(request: SandboxRequest, signal: AbortSignal): Promise<SandboxResult>;
}

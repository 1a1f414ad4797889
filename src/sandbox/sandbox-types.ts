import type { DocumentKind } from "../documents/document-kind.ts";
import type { ReadDocument, TakePages } from "../documents/read-document.ts";
import type { CheckResult } from "../results/result-types.ts";
import type { Linux, NoLinux } from "./linux/linux-types.ts";

/**
 * What a sandbox runs: programs that a model wrote, readers of documents from elsewhere, and checks of results. `pages`: takes
 * pages of a PDF.
 */
export type SandboxEngine = "javascript" | "python" | "result" | "pages" | DocumentKind;

/** What a process of the sandbox loads. One engine reads documents of all kinds and checks results. */
export type LoadedEngine = "javascript" | "python" | "document";

export interface SandboxFile {
  /** As in the workspace: `reports/q3.csv`. */
  name: string;
  content: Uint8Array;
}

export interface SandboxRequest {
  engine: SandboxEngine;
  /** Source of the program, or the schema of a result as JSON. Empty for a document. Documents and results are the one file. */
  program: string;
  /** The part of the document to read or to take. Default: all of it. */
  part?: string;
  files: SandboxFile[];
  /** Time limit, by the clock, from the start of the program. */
  seconds: number;
}

/** After a `problem`, `output` and `written` have what could be saved. A program that exceeded a limit saves no files. */
export interface SandboxResult {
  /** What the program printed, the text of the document, or the taken pages or the problems of the result as JSON. */
  output: string;
  /** Why the program failed. One sentence. */
  problem?: string;
  /** New files, and files whose content changed. */
  written: SandboxFile[];
  /** Names of files that the program deleted or renamed. Absent: none. */
  deleted?: string[];
  /** What was not saved. Sentences. */
  notes: string[];
}

/**
 * Runs untrusted programs. Contract:
 * - A program gets only the files of its request: no environment, no host files, no network.
 * - A program that exceeds its time, memory or output is stopped, which is a `problem`. The next call works.
 * - `run` stops the program and rejects with the signal's reason when the signal aborts.
 */
export interface Sandbox {
  /** Bytes of all files of one request. */
  maxBytes: number;
  run(request: SandboxRequest, signal: AbortSignal): Promise<SandboxResult>;
}

/** Whose programs and documents they are. On one machine, places go round by organization and agent. */
export interface ProgramOwner {
  organizationId: string;
  agentId: string;
}

/** Part of a platform's dependencies. */
export interface SandboxPerAgent {
  /** Runs the programs of one agent. Absent: no sandbox is configured. */
  sandboxOf?: (owner: ProgramOwner) => Sandbox;
  /** Reads the documents of one agent in another process. Absent: documents cannot be read. */
  readDocumentOf?: (owner: ProgramOwner) => ReadDocument;
  /** Takes pages of the PDFs of one agent in another process. Absent: pages cannot be taken. */
  takePagesOf?: (owner: ProgramOwner) => TakePages;
  /** Checks the results of one agent in another process. Absent: results cannot be checked. */
  checkResultOf?: (owner: ProgramOwner) => CheckResult;
  /** The Linux environment of a run, by the name in the agent's definition. Absent: this platform has none. */
  linuxOf?: (run: ProgramOwner & { id: string }, environment: string) => Promise<Linux | NoLinux>;
}

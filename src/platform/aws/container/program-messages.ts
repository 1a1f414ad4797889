import type { LinuxProgram, LinuxResult, StoredFile } from "../../../sandbox/linux/linux-types.ts";
import type { SignedForm } from "../s3/signed-objects.ts";

// What `advance` and the function of an environment send each other. Contents of files are never in these messages: 2,000
// files with names of usual length have 400 KB, with the longest names 2.4 MB. Lambda accepts 6 MB.

/** One invocation of the function: a program, a question for `EnvironmentFacts`, or a program for the JavaScript engine. */
export type FunctionEvent = { program: ProgramCall } | { facts: true } | SandboxEvent;

/**
 * A program for the JavaScript engine with its files, or a document, as `src/sandbox/codec.ts` encodes it: `request`, unless it
 * is too long for the message. `staged` is missing in calls of earlier versions, and unknown to earlier functions.
 */
export interface SandboxEvent {
  request?: string;
  staged?: StagedMessages;
}

/** Signed requests for messages that are too long for Lambda. */
export interface StagedMessages {
  /** The staged object with the request. */
  request?: { url: string; sha256: string };
  /** For a result that is too long for the answer. */
  staging: SignedForm;
  /** As in `ProgramCall`. */
  addresses: string[];
}

/** `isStaged`: the result is the staged object `resultName`. */
export type SandboxAnswer = { result: string } | { isStaged: true } | ProgramUnavailable;

/** Names of the staged objects of a `SandboxEvent`. */
export const [requestName, resultName] = ["request", "result"];

/** A program and signed requests for exactly the objects that it needs. */
export interface ProgramCall extends Pick<LinuxProgram, "language" | "text" | "seconds" | "room"> {
  /** Files of a workspace. Absent in calls of earlier versions: that of `linuxLimits`. */
  maxFiles?: number;
  /** With the signature of the URL of the content, as in `SignedGets`. */
  files: (StoredFile & { signature: string })[];
  /** URL of a content: `url` + SHA-256 + `?` + `query` + signature. */
  contents: { url: string; query: string };
  /** For new contents, and for an output that is too long for the answer. */
  staging: SignedForm;
  /** URL of an object that does not exist. When it does, the program is no longer wanted. */
  stop: string;
  /** Addresses of the bucket's host. The function cannot look them up. Empty: it can. */
  addresses: string[];
}

/** The answer to a program. */
export interface ProgramAnswer extends Omit<LinuxResult, "output"> {
  /** Absent: it is the staged object `outputName`. */
  output?: string;
}

/** The answer of a function that could not run a program, and can run it later. */
export interface ProgramUnavailable {
  /** Part of a sentence. */
  unavailable: string;
}

/** Name of the staged object with a long output. The others are named after the SHA-256 of their content. */
export const outputName = "output";

/** Characters of an output in the answer itself. */
export const inlineCharacters = 200_000;

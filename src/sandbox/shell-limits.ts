import type { BashOptions } from "just-bash";
import { exceededLimits } from "./just-bash-patch.ts";
import { bridgeBytes, sandboxLimits } from "./limits.ts";

const megabyte = 1024 * 1024;
/** Loop turns, commands, rows and elements. The time limit is usually reached first. */
const maxElements = 5_000_000;
/** Bytes of all files in the shell, and of one unpacked archive: the request's files, and four times as much. */
const fileSystemBytes = 5 * sandboxLimits.filesBytes;

/**
 * Limits of just-bash for one script. They bound the memory of a command, not what the model reads: just-bash applies
 * `maxOutputSize` to the sum of all stages of all pipelines. A file of 30 MB with 200,000 lines passes every command.
 * Memory is bounded by the limit of the process, and loops by the time.
 */
export function executionLimits(seconds: number): NonNullable<BashOptions["executionLimits"]> {
  const milliseconds = seconds * 1000;
  return {
    maxExecutionTimeMs: milliseconds,
    maxPythonTimeoutMs: milliseconds,
    maxSqliteTimeoutMs: milliseconds,
    maxCommandCount: maxElements,
    maxLoopIterations: maxElements,
    maxAwkIterations: maxElements,
    maxSedIterations: maxElements,
    maxJqIterations: maxElements,
    maxArrayElements: maxElements,
    maxCsvRows: maxElements,
    maxCsvCells: 10 * maxElements,
    maxQueryElements: 4 * maxElements,
    maxQueryTokens: 2 * maxElements,
    maxWorkUnits: 1_000 * maxElements,
    maxBraceExpansionResults: 100_000,
    maxStringLength: bridgeBytes,
    maxOutputSize: 512 * megabyte,
    maxLiveBytes: 512 * megabyte,
    maxInputBytes: 512 * megabyte,
    maxFileSystemBytes: fileSystemBytes,
    maxDatabaseBytes: fileSystemBytes,
    maxDatabaseResultBytes: bridgeBytes,
    maxArchiveBytes: fileSystemBytes,
    maxArchiveEntryBytes: 3 * sandboxLimits.filesBytes,
    maxArchiveCompressedBytes: 2 * sandboxLimits.filesBytes,
    maxWorkerMessageBytes: 4 * sandboxLimits.filesBytes,
    maxHeredocSize: 16 * megabyte,
  };
}

const rows = `at most ${maxElements.toLocaleString("en-US")} commands, loop turns, rows or elements`;
const bytes = `at most ${bridgeBytes / megabyte} MB in one value, file or command's output`;

/** The limits of the sandbox by the types of just-bash. */
const limitTexts: Record<string, string> = {
  recursion: "functions and subshells are nested too deeply",
  substitution_depth: "command substitutions are nested too deeply",
  glob_operations: "a file name pattern is too expensive",
  file_descriptors: "too many open files",
  commands: rows,
  iterations: rows,
  array_elements: rows,
  string_length: bytes,
  output_size: bytes,
  files: `at most ${fileSystemBytes / megabyte} MB in all files together`,
};

/** Undefined when the script exceeded no limit except perhaps its time. */
export function describeExceededLimit(): string | undefined {
  const [first] = (globalThis as { [exceededLimits]?: { type: string; message: string }[] })[exceededLimits] ?? [];
  if (!first) return undefined;
  const limit = limitTexts[first.type] ?? "an operation is too large";
  const detail = withoutAdvice(first.message).slice(0, 200);
  return `The script exceeded a limit of the sandbox: ${limit} (${detail}).`;
}

/** Removes the advice of just-bash to raise an option that a script does not have. */
export function withoutAdvice(text: string): string {
  return text.replaceAll(/, increase executionLimits\.\w+/g, "");
}

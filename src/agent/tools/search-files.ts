import { setImmediate } from "node:timers/promises";
import { scheduler } from "../../async/scheduler.ts";
import { withTimeout } from "../../async/with-timeout.ts";
import { openText } from "../../documents/decode-text.ts";
import { documentKind } from "../../documents/document-kind.ts";
import type { ReadDocument } from "../../documents/read-document.ts";
import { linesOf } from "../../documents/text-parts.ts";
import { ownersOf, placesFor } from "../../sandbox/places.ts";
import { searchFiles, workspaceLimits } from "./definitions.ts";
import { type FileInfo, type Files, joinLimited, withLargeFiles } from "./files.ts";
import { documentTexts, placeFinder, type SearchedDocument } from "./search-documents.ts";
import {
  acceptedPattern,
  compileGlob,
  compilePattern,
  type FindMatch,
  globProblem,
  PatternError,
} from "./search-pattern.ts";
import { builtInTool, errorOutput, type Tool, type ToolContext, type ToolOutput } from "./tool.ts";

interface SearchInput {
  pattern: string;
  glob?: string;
  ignore_case?: boolean;
}

interface SearchResult {
  /** `place`: of a document, such as `page 3`. */
  matches: { file: string; line: number; place?: string; text: string }[];
  /** More lines match than `matches` has. */
  isTruncated: boolean;
  searchedFiles: number;
  binaryFiles: string[];
  /** Files whose encoding is a guess, with its name. */
  guessedFiles: string[];
  /** Documents are searched after texts. */
  documents: SearchedDocument[];
  /** Documents that were not searched, or not all of it, and why. */
  unsearched: string[];
}

/** Searches at the same time in this process. Each holds one file and up to 8 MB of DFA states in memory. */
const searches = scheduler(placesFor("searches", 4));

/** Searches the lines of texts, then those of documents, as `read_file` returns them. */
export function searchFilesTool(readDocument: ReadDocument): Tool {
  return builtInTool(searchFiles, (input: SearchInput, context) => search(input, context, readDocument));
}

async function search(input: SearchInput, context: ToolContext, readDocument: ReadDocument): Promise<ToolOutput> {
  const { files, owner, signal } = context;
  let findMatch: FindMatch;
  let matchesGlob: (name: string) => boolean;
  try {
    findMatch = await compilePattern(input.pattern, input.ignore_case ?? false);
  } catch (error) {
    if (error instanceof PatternError) return errorOutput(`${error.message} ${acceptedPattern}`);
    throw error;
  }
  try {
    matchesGlob = await compileGlob(input.glob ?? "*");
  } catch (error) {
    if (error instanceof PatternError) return errorOutput(globProblem(error));
    throw error;
  }
  const wanted = (await files.list()).filter(({ name }) => matchesGlob(name));
  const runSearch = () =>
    withTimeout(workspaceLimits.searchSeconds * 1000, signal, (limit) =>
      searchWorkspace(files, wanted, findMatch, limit),
    );
  const found = await withLargeFiles(wanted, context, () => searches.run(ownersOf(owner), runSearch, signal));
  const isDone = !found.timedOut && (await searchDocuments(found.value, findMatch, readDocument, context));
  if (isDone) return searchOutput(found.value);
  return errorOutput(
    `The search took more than ${workspaceLimits.searchSeconds} seconds. Use a simpler pattern, or a glob for fewer files.`,
  );
}

function searchOutput(result: SearchResult): ToolOutput {
  const { matches, isTruncated, searchedFiles, binaryFiles, guessedFiles, unsearched } = result;
  const notes = [
    ...(matches.length === 0 ? [`No line matches in ${searchedFiles} files.`] : []),
    ...(isTruncated ? [`[More than ${workspaceLimits.matches} lines match. These are the first.]`] : []),
    ...(binaryFiles.length > 0 ? [`[Not searched, because not text: ${binaryFiles.slice(0, 20).join(", ")}.]`] : []),
    ...(guessedFiles.length > 0 ? [`[The encoding is a guess: ${guessedFiles.slice(0, 20).join(", ")}.]`] : []),
    ...(unsearched.length > 0 ? [`[Not searched:]\n${joinLimited(unsearched, "\n")}`] : []),
  ];
  const lines = matches.map(
    ({ file, line, place, text }) => `${file}:${line}${place === undefined ? "" : ` (${place})`}: ${text}`,
  );
  return { text: [...lines, ...notes].join("\n") };
}

/** Adds the matches of the documents. False: matching the lines of one took too long. */
async function searchDocuments(
  result: SearchResult,
  findMatch: FindMatch,
  readDocument: ReadDocument,
  context: ToolContext,
): Promise<boolean> {
  // The first matches are enough, and not all files were looked at.
  if (result.isTruncated) return true;
  for await (const { name, document } of documentTexts(result.documents, readDocument, context)) {
    if ("problem" in document) {
      result.unsearched.push(`${name}: ${document.problem}.`);
      continue;
    }
    result.searchedFiles++;
    result.unsearched.push(...document.lacks.map((lack) => `${name}: ${lack}`));
    const searchText = () =>
      withTimeout(workspaceLimits.searchSeconds * 1000, context.signal, (limit) =>
        addMatches(result, name, [document.text], findMatch, limit, placeFinder()),
      );
    const { timedOut } = await searches.run(ownersOf(context.owner), searchText, context.signal);
    if (timedOut) return false;
    if (result.isTruncated) return true;
  }
  return true;
}

/** Adds matching lines until there are too many. */
async function addMatches(
  result: SearchResult,
  file: string,
  parts: Iterable<string>,
  findMatch: FindMatch,
  signal: AbortSignal,
  placeOf?: (line: string) => string | undefined,
): Promise<void> {
  for await (const match of matchingLines(parts, findMatch, signal, placeOf)) {
    result.isTruncated = result.matches.length >= workspaceLimits.matches;
    if (result.isTruncated) return;
    result.matches.push({ file, ...match });
  }
}

async function searchWorkspace(
  files: Files,
  wanted: FileInfo[],
  findMatch: FindMatch,
  signal: AbortSignal,
): Promise<SearchResult> {
  const result: SearchResult = {
    matches: [],
    isTruncated: false,
    searchedFiles: 0,
    binaryFiles: [],
    guessedFiles: [],
    documents: [],
    unsearched: [],
  };
  for await (const { name, bytes } of contentsOf(files, wanted, signal)) {
    const content = bytes && openText(bytes);
    if (!content) continue;
    const kind = documentKind(name, bytes, content);
    if (kind) {
      result.documents.push({ name, kind, size: bytes.length });
      continue;
    }
    if ("binary" in content) {
      result.binaryFiles.push(name);
      continue;
    }
    result.searchedFiles++;
    if (content.guessed !== undefined) result.guessedFiles.push(`${name} (${content.guessed})`);
    await addMatches(result, name, content.parts, findMatch, signal);
    if (result.isTruncated) return result;
  }
  return result;
}

/** Files that are read at the same time, at most, and their bytes: a read from a bucket takes 20 ms or more. */
const [readAtOnce, readBytesAtOnce] = [32, 8 * 1024 * 1024];

/** Yields files with their contents, in order. */
async function* contentsOf(
  files: Files,
  wanted: FileInfo[],
  signal: AbortSignal,
): AsyncGenerator<{ name: string; bytes: Uint8Array | undefined }> {
  for (let start = 0; start < wanted.length;) {
    let [end, size] = [start + 1, wanted[start]?.size ?? 0];
    while (end < wanted.length && end - start < readAtOnce) {
      size += wanted[end]?.size ?? 0;
      if (size > readBytesAtOnce) break;
      end++;
    }
    const part = wanted.slice(start, end);
    const contents = await Promise.all(part.map(({ name }) => files.read(name)));
    signal.throwIfAborted();
    for (const [index, { name }] of part.entries()) yield { name, bytes: contents[index] };
    start = end;
  }
}

/** The server answers other requests at least this often during a search. */
const sliceMilliseconds = 20;

/** Yields each matching line, with at most 300 characters around the match. */
async function* matchingLines(
  parts: Iterable<string>,
  findMatch: FindMatch,
  signal: AbortSignal,
  placeOf: (line: string) => string | undefined = () => undefined,
): AsyncGenerator<{ line: number; place?: string; text: string }> {
  const partLength = workspaceLimits.searchPartCharacters;
  let sliceEnd = Date.now() + sliceMilliseconds;
  for (const { number, line } of numberedLines(parts)) {
    const place = placeOf(line);
    for (let start = 0; start === 0 || start < line.length; start += partLength) {
      if (Date.now() > sliceEnd) {
        await setImmediate();
        signal.throwIfAborted();
        sliceEnd = Date.now() + sliceMilliseconds;
      }
      const found = findMatch(line.slice(start, start + partLength));
      if (found === undefined) continue;
      const from = Math.max(0, Math.min(start + found - 100, line.length - 300));
      yield { line: number, ...(place !== undefined && { place }), text: line.slice(from, from + 300) };
      break;
    }
  }
}

function* numberedLines(parts: Iterable<string>): Generator<{ number: number; line: string }> {
  let number = 0;
  for (const part of parts) {
    for (const line of linesOf(part)) yield { number: ++number, line: line.endsWith("\r") ? line.slice(0, -1) : line };
  }
}

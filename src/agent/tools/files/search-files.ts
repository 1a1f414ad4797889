import { isAscii } from "node:buffer";
import { scheduler } from "../../../async/scheduler.ts";
import { withTimeout } from "../../../async/with-timeout.ts";
import { openText } from "../../../documents/encoding/decode-text.ts";
import { type DocumentKind, documentKind } from "../../../documents/document-kind.ts";
import { searchKinds } from "../../../documents/encoding/fold-text.ts";
import type { ReadDocument } from "../../../documents/read-document.ts";
import { schedulerOwners, placesFor } from "../../../sandbox/places.ts";
import { searchFiles, workspaceLimits } from "../definitions.ts";
import { type FileInfo, type Files, joinLimited, withLargeFiles } from "./files.ts";
import { documentTexts, placeFinder, type SearchedDocument } from "./search-documents.ts";
import { type LineFinder, lineFinder } from "./line-finder.ts";
import { type MatchingLine, matchingLines, type SearchedLines } from "./matching-lines.ts";
import { acceptedPattern, compileGlob, globProblem, PatternError } from "./search-pattern.ts";
import { builtInTool, errorOutput, type Tool, type ToolContext, type ToolOutput } from "../tool.ts";

interface SearchInput {
  pattern: string;
  glob?: string;
  ignore_case?: boolean;
}

interface SearchResult {
  matches: (MatchingLine & { file: string })[];
  /** More lines match than `matches` has. */
  isTruncated: boolean;
  searchedFiles: number;
  binaryFiles: string[];
  /** Files whose encoding is a guess, with its name. */
  guessedFiles: string[];
  /** Files of UTF-8 with other bytes. */
  damagedFiles: string[];
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
  let finder: LineFinder;
  let matchesGlob: (name: string) => boolean;
  try {
    finder = await lineFinder(input.pattern, input.ignore_case ?? false);
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
    withTimeout(workspaceLimits.searchSeconds * 1000, signal, (limit) => searchWorkspace(files, wanted, finder, limit));
  const found = await withLargeFiles(wanted, context, () => searches.run(schedulerOwners(owner), runSearch, signal));
  const isDone = !found.timedOut && (await searchDocuments(found.value, finder, readDocument, context));
  if (isDone) return searchOutput(found.value, finder.isIncomplete());
  return errorOutput(
    `The search took more than ${workspaceLimits.searchSeconds} seconds. Use a simpler pattern, or a glob for fewer files.`,
  );
}

const ignored = searchKinds.join(", ");

function searchOutput(result: SearchResult, isIncomplete: boolean): ToolOutput {
  const { matches, isTruncated, searchedFiles, binaryFiles, guessedFiles, damagedFiles, unsearched } = result;
  const needing = (needed: MatchingLine["needed"]): string =>
    joinLimited(matches.filter((match) => match.needed === needed).map(({ file, line }) => `${file}:${line}`));
  const notes = [
    ...(matches.length === 0 ? [`No line matches in ${searchedFiles} files.`] : []),
    ...(isTruncated ? [`[More than ${workspaceLimits.matches} lines match. These are the first.]`] : []),
    ...(binaryFiles.length > 0 ? [`[Not searched, because not text: ${binaryFiles.slice(0, 20).join(", ")}.]`] : []),
    ...(guessedFiles.length > 0 ? [`[The encoding is a guess: ${guessedFiles.slice(0, 20).join(", ")}.]`] : []),
    ...(damagedFiles.length > 0 ? [`[With bytes that are not UTF-8: ${damagedFiles.slice(0, 20).join(", ")}.]`] : []),
    ...(matches.some(({ needed }) => needed === "folding")
      ? [`[Matched ignoring ${ignored}: ${needing("folding")}.]`]
      : []),
    ...(isIncomplete
      ? [`[There is much text, so not all of it was matched ignoring ${ignored}. A glob for fewer files helps.]`]
      : []),
    ...(matches.some(({ needed }) => needed === "joining")
      ? [`[Matched over the end of a line, shown joined: ${needing("joining")}.]`]
      : []),
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
  finder: LineFinder,
  readDocument: ReadDocument,
  context: ToolContext,
): Promise<boolean> {
  // The first matches are enough, and not all files were looked at.
  if (result.isTruncated) return true;
  for await (const { name, kind, document } of documentTexts(result.documents, readDocument, context)) {
    if ("problem" in document) {
      result.unsearched.push(`${name}: ${document.problem}.`);
      continue;
    }
    result.searchedFiles++;
    result.unsearched.push(...document.lacks.map((lack) => `${name}: ${lack}`));
    const searchText = () =>
      withTimeout(workspaceLimits.searchSeconds * 1000, context.signal, (limit) =>
        addMatches(result, name, { ...searchedLines(kind, document.text), placeOf: placeFinder() }, finder, limit),
      );
    const { timedOut } = await searches.run(schedulerOwners(context.owner), searchText, context.signal);
    if (timedOut) return false;
    if (result.isTruncated) return true;
  }
  return true;
}

/** The lines of PDFs and emails end where a page does. */
function searchedLines(kind: DocumentKind, text: string): SearchedLines {
  return { parts: [text], isAscii: isAscii(Buffer.from(text)), isWrapped: kind === "pdf" || kind === "eml" };
}

/** Adds matching lines until there are too many. */
async function addMatches(
  result: SearchResult,
  file: string,
  lines: SearchedLines,
  finder: LineFinder,
  signal: AbortSignal,
): Promise<void> {
  for await (const match of matchingLines(lines, finder, signal)) {
    result.isTruncated = result.matches.length >= workspaceLimits.matches;
    if (result.isTruncated) return;
    result.matches.push({ file, ...match });
  }
}

async function searchWorkspace(
  files: Files,
  wanted: FileInfo[],
  finder: LineFinder,
  signal: AbortSignal,
): Promise<SearchResult> {
  const result: SearchResult = {
    matches: [],
    isTruncated: false,
    searchedFiles: 0,
    binaryFiles: [],
    guessedFiles: [],
    damagedFiles: [],
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
    if (content.damage) result.damagedFiles.push(name);
    await addMatches(result, name, content, finder, signal);
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

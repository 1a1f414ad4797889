import { withTimeout } from "../../../async/with-timeout.ts";
import type { DocumentKind } from "../../../documents/document-kind.ts";
import type { ReadDocument } from "../../../documents/read-document.ts";
import { noteLines } from "../../../documents/ledger.ts";
import { noPageHasText } from "../../../documents/pdf/scan-note.ts";
import { sandboxLimits } from "../../../sandbox/program-limits.ts";
import { workspaceLimits } from "../definitions.ts";
import { type FileInfo, type Files, withLargeFiles } from "./files.ts";
import type { ToolContext } from "../tool.ts";

/** A document of the workspace. */
export interface SearchedDocument extends FileInfo {
  kind: DocumentKind;
}

/** The text of a document, and sentences about what it lacks. Or, as a clause, why the document was not read. */
export type SearchedText = { text: string; lacks: string[] } | { problem: string };

/**
 * Yields the documents with their texts, one at a time. Documents for which no time is left have a problem. The reader
 * shares its places among organizations and agents.
 */
export async function* documentTexts(
  documents: SearchedDocument[],
  readDocument: ReadDocument,
  context: ToolContext,
): AsyncGenerator<{ name: string; kind: DocumentKind; document: SearchedText }> {
  const end = Date.now() + workspaceLimits.searchDocumentSeconds * 1000;
  for (const document of documents) {
    const { name, kind, size } = document;
    if (size > sandboxLimits.filesBytes) {
      yield { name, kind, document: { problem: `it has ${size} bytes, more than ${sandboxLimits.filesBytes}` } };
      continue;
    }
    const read = await withTimeout(end - Date.now(), context.signal, (signal) =>
      withLargeFiles([document], { ...context, signal }, () => readText(context.files, document, readDocument, signal)),
    );
    yield { name, kind, document: read.timedOut ? noTime : read.value };
  }
}

const noTime = {
  problem: `reading the documents took more than ${workspaceLimits.searchDocumentSeconds} seconds; use a glob for fewer`,
};

async function readText(
  files: Files,
  { name, kind }: SearchedDocument,
  readDocument: ReadDocument,
  signal: AbortSignal,
): Promise<SearchedText> {
  const bytes = await files.read(name);
  if (!bytes) return { problem: "it is no longer in the workspace" };
  const document = await readDocument(kind, bytes, signal);
  if ("problem" in document) return document;
  if (document.text === "") {
    const [note] = noteLines(document);
    return { problem: `${kind === "pdf" ? "its pages have no text" : "it contains no text"}${note ? ` ${note}` : ""}` };
  }
  return { text: document.text, lacks: [...lacksOf(kind, document.text), ...noteLines(document)] };
}

/** Lines that readers write about what a text lacks, in the order of the formats: PDF, DOCX, XLSX, all. */
const lackNotes = new RegExp(
  String.raw`^\[(?:Pages? [\d, -]+ .*no text: .*|${escapeSyntax(noPageHasText.slice(1, -1))}|The PDF has an XFA form.*` +
    String.raw`|\d+ tracked changes?: .*|The sheet is large: .*` +
    String.raw`|Only the first .*)\]$`,
  "gm",
);

function escapeSyntax(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

function lacksOf(kind: DocumentKind, text: string): string[] {
  const lacks = [...new Set(text.match(lackNotes))];
  if (kind === "zip" && text.startsWith("[ZIP archive,")) lacks.push("[Only the names of its members are searched.]");
  if (kind === "eml" && /^Attachment/m.test(text)) lacks.push("[Only the names of its attachments are searched.]");
  return lacks.slice(-5);
}

/**
 * Says where each line of a document is, such as `page 3`, from the headings that its reader writes. Undefined for
 * documents without pages, slides or sheets. Call it with each line, in order.
 */
export function placeFinder(): (line: string) => string | undefined {
  let isFirst = true;
  let unit: string | undefined;
  let [number, place]: [number: number, place: string | undefined] = [0, undefined];
  return (line) => {
    const [, found, index, name] = heading.exec(line) ?? [];
    if (isFirst) unit = found;
    isFirst = false;
    // Text can look like a heading. Numbers of headings only grow.
    if (found !== undefined && found === unit && Number(index) > number) {
      number = Number(index);
      place = name === undefined ? `${found.toLowerCase()} ${index}` : `${found.toLowerCase()} ${name}`;
    }
    return place;
  };
}

const heading = /^\[(Page|Slide|Sheet) (\d{1,9}) of \d{1,9}(?:: (.*?))?(?:, hidden)?\]$/;

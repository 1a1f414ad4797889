import { openText, type TextFile } from "../../../documents/encoding/decode-text.ts";
import { documentKind } from "../../../documents/document-kind.ts";
import { noteLines } from "../../../documents/ledger.ts";
import { otherPicture } from "../../../documents/office/other-pictures.ts";
import { noPageHasText } from "../../../documents/pdf/scan-note.ts";
import { textParts } from "../../../documents/text-parts.ts";
import { damagePlaces } from "../../../documents/encoding/utf8-damage.ts";
import { maxShownPages } from "../../../documents/taken-pages.ts";
import type { ReadDocument, TakePages } from "../../../documents/read-document.ts";
import { sandboxLimits } from "../../../sandbox/program-limits.ts";
import { attachmentProblem } from "../../attachment-limits.ts";
import type { Attachment } from "../../model.ts";
import { readFile, readFileWithPages } from "../definitions.ts";
import { excerpt, type ExcerptRange } from "./excerpt.ts";
import { findName } from "./find-name.ts";
import { findFile, withLargeFiles } from "./files.ts";
import { type ReadInput, showPages } from "./show-pages.ts";
import { builtInTool, errorOutput, type Tool, type ToolContext, type ToolOutput } from "../tool.ts";

/** What reads documents. `showsPages`: the model is shown the pages of PDFs. */
interface Readers {
  readDocument: ReadDocument;
  takePages?: TakePages | undefined;
  showsPages: boolean;
}

/** Returns text by lines, documents through `readDocument`, and images, and PDFs without text or by pages, as attachments. */
export function readFileTool(readers: Readers): Tool {
  const { takePages, showsPages } = readers;
  const byPages = showsPages ? takePages : undefined;
  const definition = byPages ? readFileWithPages : readFile;
  const validator = byPages ? "read_file_pages" : readFile.name;
  const run = async (input: ReadInput, context: ToolContext): Promise<ToolOutput> => {
    const { files } = context;
    const named = findName(await files.list(), input.name);
    return withLargeFiles(named ? [named.file] : [], context, async () => {
      const file = await findFile(files, input.name);
      if ("problem" in file) return errorOutput(file.problem);
      const { name, bytes, note } = file;
      const found = { ...input, name };
      const shown = byPages && (await showPages(bytes, found, byPages, context));
      const output = shown ?? (await readBytes(bytes, found, readers, context.signal));
      return note === undefined ? output : { ...output, text: `${output.text}\n[${note}]` };
    });
  };
  return builtInTool(definition, run, validator);
}

async function readBytes(
  bytes: Uint8Array,
  input: ReadInput,
  { readDocument, takePages, showsPages }: Readers,
  signal: AbortSignal,
): Promise<ToolOutput> {
  const { name, part, encoding } = input;
  if (encoding !== undefined && part !== undefined) return errorOutput(encodingOfPart);
  if (encoding !== undefined) return encodedOutput(bytes, encoding, input);
  const opened = openText(bytes);
  const content = "binary" in opened ? { ...opened, ...otherPicture(bytes) } : opened;
  const kind = documentKind(name, bytes, content);
  if (!kind && "parts" in content) {
    if (part !== undefined) return errorOutput(`${name} is a text file; it has no parts. Read it without part.`);
    return textOutput(name, content.parts, input, content);
  }

  const subject = `${name} is ${"binary" in content ? content.binary : textKinds[kind ?? ""]} of ${bytes.length} bytes`;
  const mediaType = "binary" in content ? content.mediaType : undefined;
  if (mediaType?.startsWith("image/")) return attachmentOutput(subject, bytes, { name, mediaType });
  if (!kind) {
    const reader = "reader" in content ? ` ${content.reader}` : "";
    return errorOutput(`${subject}; only text files, ${readableKinds} and images can be read.${reader}`);
  }
  if (bytes.length > sandboxLimits.filesBytes) {
    return errorOutput(`${subject}; documents and archives can be read up to ${sandboxLimits.filesBytes} bytes.`);
  }
  const document = await readDocument(kind, bytes, signal, part);
  if ("problem" in document) return errorOutput(`${subject}; ${document.problem}.`);
  const isScan =
    kind === "pdf" && part === undefined && (document.text === "" || document.text.endsWith(noPageHasText));
  const scan = isScan ? await scanOutput(subject, bytes, name, { takePages, showsPages, signal }) : undefined;
  if (document.text !== "") {
    const read = await textOutput(part === undefined ? name : `${name}, ${part}`, [document.text], input);
    if (read.error === true) return read;
    const output = { ...read, text: [read.text, ...noteLines(document)].join("\n") };
    if (scan)
      return { text: `${output.text}\n[${scan.text}]`, ...(scan.attachments && { attachments: scan.attachments }) };
    const canShow = kind === "pdf" && showsPages && part === undefined;
    return canShow ? { ...output, text: `${output.text}\n[${pagesAreShown}]` } : output;
  }
  if (scan) return { ...scan, text: [scan.text, ...noteLines(document)].join("\n") };
  if (kind === "pdf")
    return errorOutput(
      `${subject}; part ${part} contains no text: the pages are scanned or blank, and pictures in documents are not read.` +
        (showsPages ? ` ${pagesAreShown}` : ""),
    );
  return errorOutput(
    `${subject}; ${part === undefined ? "it" : "this part"} contains no text.${(document.notes ?? []).map((note) => ` ${note}`).join("")}`,
  );
}

const pagesAreShown = `Its pages are shown as they are with pages, at most ${maxShownPages} at a time.`;

/** Pages of a request that providers accept. Models with a longer context window accept more. */
const maxScannedPages = 100;

/** A PDF whose pages have no text, as an attachment. */
async function scanOutput(
  subject: string,
  bytes: Uint8Array,
  name: string,
  { takePages, showsPages, signal }: Pick<Readers, "takePages" | "showsPages"> & { signal: AbortSignal },
): Promise<ToolOutput> {
  const scan = `${subject} without text, probably a scan`;
  const taken = await takePages?.(bytes, signal);
  const count = taken && "count" in taken ? taken.count : undefined;
  if (showsPages && count !== undefined) return errorOutput(`${scan}, with ${count} pages. ${pagesAreShown}`);
  if (count !== undefined && count > maxScannedPages) {
    return errorOutput(
      `${scan}, with ${count} pages; PDFs can be shown up to ${maxScannedPages} pages. In a Linux environment, run_python splits it with pypdf.`,
    );
  }
  const attachment = { name, mediaType: "application/pdf", ...(count !== undefined && { pages: count }) };
  return attachmentOutput(scan, bytes, attachment);
}

const readableKinds = "PDF, DOCX, XLSX, PPTX, ODT, ODS, ODP, RTF, EML and ZIP files";

const encodingOfPart =
  "encoding and part cannot be used together. To decode a member of an archive, extract it with a program of run_python " +
  "and read that file with encoding.";

/** Kinds of documents that are also text. */
const textKinds: Record<string, string> = { rtf: "an RTF document", eml: "an email" };

/** `encoded`: how the text is written, if it was not told. */
async function textOutput(
  name: string,
  parts: Iterable<string>,
  range: ExcerptRange,
  { guessed, damage }: Pick<TextFile, "guessed" | "damage"> = {},
): Promise<ToolOutput> {
  const result = await excerpt(name, parts, range);
  if ("problem" in result) return errorOutput(result.problem);
  if (damage) {
    const places = damagePlaces(damage);
    return {
      text: `${result.text}\n[The file is UTF-8, but has bytes that are not, shown as \ufffd: ${places}. To read them, set encoding, such as windows-1252.]`,
    };
  }
  if (guessed === undefined) return result;
  return {
    text: `${result.text}\n[Read as ${guessed}, a guess. If characters look wrong, set encoding to another one.]`,
  };
}

async function encodedOutput(bytes: Uint8Array, encoding: string, { name, ...range }: ReadInput): Promise<ToolOutput> {
  try {
    return await textOutput(name, [...textParts(bytes, encoding)], range);
  } catch {
    const accepted = "utf-8, utf-16le, windows-1251, iso-8859-2, shift_jis, euc-jp, gb18030, big5 or euc-kr";
    return errorOutput(`${JSON.stringify(encoding)} is not a supported encoding; accepted: for example ${accepted}.`);
  }
}

function attachmentOutput(subject: string, bytes: Uint8Array, attachment: Attachment): ToolOutput {
  const problem = attachmentProblem(attachment.mediaType, bytes.length);
  return problem === undefined
    ? { text: `${subject}. It is attached.`, attachments: [attachment] }
    : errorOutput(`${subject}; ${problem}.`);
}

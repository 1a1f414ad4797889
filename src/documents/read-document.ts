import { decodeText } from "./decode-text.ts";
import { type DocumentKind, documentKind } from "./document-kind.ts";
import type { TakenPages } from "./taken-pages.ts";
import { type ContainedFile, NoParts, rejectPart, UnknownPart } from "./parts.ts";

/** Text of a document, empty for a scan, or why it cannot be read, as a clause. */
export type DocumentText = { text: string } | { problem: string };

/**
 * Reads the text of a document. `part` selects a sheet or an area of it, pages or slides, or a member of an archive or
 * email. Rejects only with the signal's reason.
 */
export type ReadDocument = (
  kind: DocumentKind,
  bytes: Uint8Array,
  signal: AbortSignal,
  part?: string,
) => Promise<DocumentText>;

/** Pages of a PDF, or why they cannot be taken, as a clause. */
export type PagesResult = TakenPages | { problem: string };

/**
 * Takes pages of a PDF (`3` or `3-5`), so that a model can be shown them. Default: all of them. Rejects only with the signal's
 * reason.
 */
export type TakePages = (bytes: Uint8Array, signal: AbortSignal, pages?: string) => Promise<PagesResult>;

/** Takes pages in this process. */
export const takePages: TakePages = async (bytes, signal, pages) => {
  const { pdfPages, PagesRefused } = await import("./pdf-pages.ts");
  try {
    return await pdfPages(bytes, pages);
  } catch (error) {
    signal.throwIfAborted();
    const message = (error instanceof Error ? error.message : String(error)).replace(/\.$/, "");
    return { problem: error instanceof PagesRefused ? message : `its pages cannot be read: ${message}` };
  }
};

/** Characters of a text that are returned. */
const maxCharacters = 10_000_000;

/** Reads documents in this process. The libraries are loaded on first use: the one for PDF has 1.7 MB of code. */
export const readDocument: ReadDocument = async (kind, bytes, signal, part) => {
  try {
    const text = await readers[kind](bytes, part, signal);
    if (text.length <= maxCharacters) return { text };
    const whole = text.slice(0, text.lastIndexOf("\n", maxCharacters) + 1 || maxCharacters);
    const how = part === undefined ? "Read a part of the document." : "Read a smaller part, if it has one.";
    return { text: `${whole}[Only the first ${whole.length} characters are read. ${how}]` };
  } catch (error) {
    signal.throwIfAborted();
    const message = (error instanceof Error ? error.message : String(error)).replace(/\.$/, "");
    const isPart = error instanceof UnknownPart || error instanceof NoParts;
    return { problem: isPart ? message : `it cannot be read: ${message}` };
  }
};

/** `isContained`: the document is in another file, so that its own parts cannot be selected. */
type Reader = (
  bytes: Uint8Array,
  part: string | undefined,
  signal: AbortSignal,
  isContained?: boolean,
) => Promise<string>;

const readers: Record<DocumentKind, Reader> = {
  pdf: async (...document) => (await import("./pdf.ts")).pdfText(...document),
  async zip(bytes, part, signal, isContained = false) {
    const { memberList, officeText, openZip } = await import("./zip-document.ts");
    const members = await openZip(bytes);
    const text = await officeText(members, bytes, part, maxCharacters);
    if (text !== undefined) return text;
    return part === undefined ? memberList(members, isContained) : containedText(members, part, "member", signal);
  },
  async rtf(bytes, part) {
    rejectPart(part);
    return (await import("./rtf.ts")).rtfText(bytes);
  },
  async eml(bytes, part, signal, isContained = false) {
    const { text, attachments } = await (await import("./email.ts")).readEmail(bytes, isContained);
    return part === undefined ? text : containedText(attachments, part, "attachment", signal);
  },
  html: async (bytes) => (await import("./html.ts")).htmlToMarkdown(new TextDecoder().decode(bytes)),
};

/** The text of one file in an email or archive. */
async function containedText(files: ContainedFile[], part: string, unit: string, signal: AbortSignal): Promise<string> {
  const names = files.map(({ name }) => name);
  const file = files[names.indexOf(part)];
  if (!file) throw new UnknownPart(part, unit, names);
  const bytes = await file.read();
  const content = decodeText(bytes);
  const kind = documentKind(file.name, bytes, content);
  if (kind) return readers[kind](bytes, undefined, signal, true);
  if ("text" in content) {
    const { guessed, text } = content;
    return guessed === undefined ? text : `[Read as ${guessed}, a guess.]\n${text}`;
  }
  const subject = `${file.name} in it is ${content.binary} of ${bytes.length} bytes`;
  throw new Error(`${subject}; only text and documents can be read as parts. A program of run_python can extract it`);
}

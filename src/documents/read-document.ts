import { decodeText } from "./encoding/decode-text.ts";
import { damagePlaces } from "./encoding/utf8-damage.ts";
import { type DocumentKind, documentKind } from "./document-kind.ts";
import { type Ledger, openLedger } from "./ledger.ts";
import type { TakenPages } from "./taken-pages.ts";
import { type ContainedFile, NoParts, rejectPart, UnknownPart } from "./parts.ts";

/** Text of a document, empty for a scan, or why it cannot be read, as a clause. */
export type DocumentText =
  | {
      text: string;
      /** Sentences about what the document has and the text does not. Absent: nothing is left out. */
      notes?: string[];
    }
  | { problem: string };

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
  const { pdfPages, PagesRefused } = await import("./pdf/pdf-pages.ts");
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
    const ledger = openLedger();
    const text = await readers[kind]({ bytes, part, signal, isContained: false, ledger });
    const notes = ledger.notes();
    const rest = notes.length > 0 ? { notes } : {};
    if (text.length <= maxCharacters) return { text, ...rest };
    const whole = text.slice(0, text.lastIndexOf("\n", maxCharacters) + 1 || maxCharacters);
    const how = part === undefined ? "Read a part of the document." : "Read a smaller part, if it has one.";
    return { text: `${whole}[Only the first ${whole.length} characters are read. ${how}]`, ...rest };
  } catch (error) {
    signal.throwIfAborted();
    const message = (error instanceof Error ? error.message : String(error)).replace(/\.$/, "");
    const isPart = error instanceof UnknownPart || error instanceof NoParts;
    return { problem: isPart ? message : `it cannot be read: ${message}` };
  }
};

/** A document to read. */
interface Source {
  bytes: Uint8Array;
  part: string | undefined;
  signal: AbortSignal;
  /** The document is in another file, so that its own parts cannot be selected. */
  isContained: boolean;
  ledger: Ledger;
}

const readers: Record<DocumentKind, (source: Source) => Promise<string>> = {
  async pdf(source) {
    const [{ pdfText }, { pdfAttachment }] = [await import("./pdf/pdf.ts"), await import("./pdf/pdf-attachments.ts")];
    const { part, bytes } = source;
    const file = part === undefined || /^[\d\s-]+$/.test(part) ? undefined : await pdfAttachment(bytes, part);
    return file && part !== undefined ? fileText(part, file, source) : pdfText(source);
  },
  async zip(source) {
    const { memberList, officeText, openZip } = await import("./zip/zip-document.ts");
    const { bytes, part, isContained, ledger } = source;
    const members = await openZip(bytes);
    const text = await officeText(members, bytes, part, maxCharacters, ledger);
    if (text !== undefined) return text;
    return part === undefined
      ? memberList(members, isContained, ledger)
      : containedText(members, part, "member", source);
  },
  async rtf({ bytes, part, ledger }) {
    rejectPart(part);
    return (await import("./rtf/rtf.ts")).rtfText(bytes, ledger);
  },
  async eml(source) {
    const { bytes, part, isContained, ledger } = source;
    const { readEmail } = await import("./email.ts");
    const { text, attachments } = await readEmail(bytes, isContained, part === undefined ? ledger : openLedger());
    return part === undefined ? text : containedText(attachments, part, "attachment", source);
  },
  html: async ({ bytes, ledger }) =>
    (await import("./html/html.ts")).htmlToMarkdown(new TextDecoder().decode(bytes), ledger),
};

/** The text of one file in an email or archive. */
async function containedText(files: ContainedFile[], part: string, unit: string, source: Source): Promise<string> {
  const names = files.map(({ name }) => name);
  const file = files[names.indexOf(part)];
  if (!file) throw new UnknownPart(part, unit, names);
  return fileText(file.name, await file.read(), source);
}

async function fileText(name: string, bytes: Uint8Array, source: Source): Promise<string> {
  const content = decodeText(bytes);
  const kind = documentKind(name, bytes, content);
  if (kind) return readers[kind]({ ...source, bytes, part: undefined, isContained: true });
  if ("text" in content) {
    const { guessed, damage, text } = content;
    if (damage) return `[UTF-8 with other bytes, shown as \ufffd: ${damagePlaces(damage)}.]\n${text}`;
    return guessed === undefined ? text : `[Read as ${guessed}, a guess.]\n${text}`;
  }
  const subject = `${name} in it is ${content.binary} of ${bytes.length} bytes`;
  throw new Error(`${subject}; only text and documents can be read as parts. A program of run_python can extract it`);
}

import { inflateRawSync } from "node:zlib";

/** Documents whose text can be taken out; of HTML (in UTF-8) it is Markdown. */
export type DocumentKind = "pdf" | "docx" | "html";

/** Text of a document, empty when it holds none (a scan), or why it can't be had, as a sentence's end. */
export type DocumentText = { text: string } | { problem: string };

/** Takes the text out of a document. Rejects only with the signal's reason. */
export type ReadDocument = (kind: DocumentKind, bytes: Uint8Array, signal: AbortSignal) => Promise<DocumentText>;

const maxPages = 2_000;
/** Bytes of a DOCX's parts together once they are unpacked: 100 times the largest upload is a bomb, 10 times is not. */
const maxUnpackedBytes = 100 * 1024 * 1024;

/**
 * Reads documents in this process. The libraries are loaded when first needed: a PDF costs 1.7 MB of code. A PDF is
 * read page by page, so that the signal is heard between two pages.
 */
export const readDocument: ReadDocument = async (kind, bytes, signal) => {
  try {
    return { text: await readers[kind](bytes, signal) };
  } catch (error) {
    signal.throwIfAborted();
    return {
      problem: `it cannot be read: ${(error instanceof Error ? error.message : String(error)).replace(/\.$/, "")}`,
    };
  }
};

const readers: Record<DocumentKind, (bytes: Uint8Array, signal: AbortSignal) => Promise<string>> = {
  pdf: pdfText,
  docx: docxText,
  html: markdown,
};

async function markdown(bytes: Uint8Array): Promise<string> {
  const { default: Turndown } = await import("turndown");
  const turndown = new Turndown({ headingStyle: "atx", codeBlockStyle: "fenced" });
  turndown.remove(["script", "style", "noscript", "iframe", "template"]);
  return turndown.turndown(new TextDecoder().decode(bytes)).trim();
}

async function pdfText(bytes: Uint8Array, signal: AbortSignal): Promise<string> {
  const { getDocumentProxy } = await import("unpdf");
  // A copy: the library takes the buffer over.
  const document = await getDocumentProxy(Uint8Array.from(bytes), { verbosity: 0 });
  try {
    const pages: string[] = [];
    for (let number = 1; number <= Math.min(document.numPages, maxPages); number++) {
      signal.throwIfAborted();
      const page = await document.getPage(number);
      const { items } = await page.getTextContent();
      const text = items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : "")).join("");
      if (text.trim() !== "") pages.push(`[Page ${number} of ${document.numPages}]\n${text.trim()}`);
      page.cleanup();
    }
    if (document.numPages > maxPages) pages.push(`[Only the first ${maxPages} pages are read.]`);
    return pages.join("\n\n");
  } finally {
    await document.loadingTask.destroy();
  }
}

async function docxText(bytes: Uint8Array): Promise<string> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const unpacked = unpackedSize(buffer, maxUnpackedBytes);
  if (unpacked === undefined) throw new Error(`its parts are damaged, or larger than ${maxUnpackedBytes} bytes`);
  const { default: mammoth } = await import("mammoth");
  const { value } = await mammoth.extractRawText({ buffer });
  return value.replaceAll(/\n{3,}/g, "\n\n").trim();
}

/** Whether a ZIP archive is a Word document. */
export function isDocx(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes("word/document.xml");
}

/**
 * Bytes that the entries of a ZIP archive really unpack to, whatever their headers claim; undefined when that is more
 * than `max`, or the archive is damaged.
 */
function unpackedSize(zip: Buffer, max: number): number | undefined {
  const end = zip.lastIndexOf("PK\u0005\u0006");
  if (end < 0) return undefined;
  let entry = zip.readUInt32LE(end + 16);
  let total = 0;
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    if (zip.readUInt32LE(entry) !== 0x02014b50) return undefined;
    const local = zip.readUInt32LE(entry + 42);
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const packed = zip.subarray(start, start + zip.readUInt32LE(entry + 20));
    const stored = zip.readUInt16LE(entry + 10) === 0;
    if (!stored && total >= max) return undefined;
    try {
      total += stored ? packed.length : inflateRawSync(packed, { maxOutputLength: max - total }).length;
    } catch {
      return undefined;
    }
    if (total > max) return undefined;
    entry += 46 + zip.readUInt16LE(entry + 28) + zip.readUInt16LE(entry + 30) + zip.readUInt16LE(entry + 32);
  }
  return total;
}

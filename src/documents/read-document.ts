import { inflateRawSync } from "node:zlib";

/** Kinds of documents whose text can be read. HTML must be UTF-8 and becomes Markdown. */
export type DocumentKind = "pdf" | "docx" | "html";

/** Text of a document, empty for a scan, or why it cannot be read, as a clause. */
export type DocumentText = { text: string } | { problem: string };

/** Reads the text of a document. Rejects only with the signal's reason. */
export type ReadDocument = (kind: DocumentKind, bytes: Uint8Array, signal: AbortSignal) => Promise<DocumentText>;

const maxPages = 2_000;
/** Bytes of all decompressed parts of a DOCX: 10 times the largest upload. More is a decompression bomb. */
const maxDecompressedBytes = 100 * 1024 * 1024;

/**
 * Reads documents in this process. The libraries are loaded on first use: the one for PDF has 1.7 MB of code. For a PDF,
 * the signal is checked between pages.
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
  // A copy, because the library detaches the buffer.
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
  const size = decompressedSize(buffer, maxDecompressedBytes);
  if (size === undefined) throw new Error(`its parts are damaged, or larger than ${maxDecompressedBytes} bytes`);
  const { default: mammoth } = await import("mammoth");
  const { value } = await mammoth.extractRawText({ buffer });
  return value.replaceAll(/\n{3,}/g, "\n\n").trim();
}

/** Whether a ZIP archive is a Word document. */
export function isDocx(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes("word/document.xml");
}

/**
 * The size of the decompressed entries of a ZIP archive, measured, because headers may lie. Undefined when it is more
 * than `max` or the archive is damaged.
 */
function decompressedSize(zip: Buffer, max: number): number | undefined {
  const end = zip.lastIndexOf("PK\u0005\u0006");
  if (end < 0) return undefined;
  let entry = zip.readUInt32LE(end + 16);
  let total = 0;
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    if (zip.readUInt32LE(entry) !== 0x02014b50) return undefined;
    const local = zip.readUInt32LE(entry + 42);
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const compressed = zip.subarray(start, start + zip.readUInt32LE(entry + 20));
    const stored = zip.readUInt16LE(entry + 10) === 0;
    if (!stored && total >= max) return undefined;
    try {
      total += stored ? compressed.length : inflateRawSync(compressed, { maxOutputLength: max - total }).length;
    } catch {
      return undefined;
    }
    if (total > max) return undefined;
    entry += 46 + zip.readUInt16LE(entry + 28) + zip.readUInt16LE(entry + 30) + zip.readUInt16LE(entry + 32);
  }
  return total;
}

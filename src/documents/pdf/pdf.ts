import { getDocumentProxy } from "unpdf";
import type { Ledger } from "../ledger.ts";
import { selectedNumbers } from "../parts.ts";
import { annotationText, type PdfAnnotation } from "./pdf-annotations.ts";
import { attachedFiles, attachmentList } from "./pdf-attachments.ts";
import { nameUnmapped, pageText, readableText, type UnmappedPages } from "./pdf-characters.ts";
import { noPageHasText, scanNote } from "./scan-note.ts";

const maxPages = 2_000;

interface PdfSource {
  bytes: Uint8Array;
  part: string | undefined;
  signal: AbortSignal;
  isContained: boolean;
  ledger: Ledger;
}

/**
 * The text of a PDF by pages, with the values of form fields and comments, and the names of attached files; empty for a scan. A
 * note names the pages without text. The signal is checked between pages. `part`: numbers of pages. `isContained`: the document
 * is in another file.
 */
export async function pdfText({ bytes, part, signal, isContained, ledger }: PdfSource): Promise<string> {
  // A copy, because the library detaches the buffer.
  const document = await getDocumentProxy(Uint8Array.from(bytes), { verbosity: 0 });
  try {
    const count = document.numPages;
    const pages: string[] = [];
    const withoutText: number[] = [];
    const unmapped: UnmappedPages = { all: [], some: [] };
    const numbers = selectedNumbers(part, "page", count, maxPages + 1);
    for (const number of numbers.slice(0, maxPages)) {
      signal.throwIfAborted();
      const page = await document.getPage(number);
      const { items } = await page.getTextContent();
      const text = readableText(pageText(items), number, unmapped);
      if (text === "") withoutText.push(number);
      const all = (await page.getAnnotations()) as PdfAnnotation[];
      for (const { file } of all)
        if (file) ledger.say(`A file is attached to page ${number}, which is not read: ${file.filename}.`);
      const annotations = annotationText(all, number);
      const parts = [text, annotations].filter((each) => each !== "");
      if (parts.length > 0) pages.push([`[Page ${number} of ${count}]`, ...parts].join("\n"));
      page.cleanup();
    }
    if (part === undefined) pages.push(...attachmentList(await attachedFiles(document), isContained));
    const { info } = await document.getMetadata();
    const hasXfa = "IsXFAPresent" in info && info.IsXFAPresent === true;
    if (hasXfa) pages.push("[The PDF has an XFA form, which is not read: fields and values can be missing.]");
    nameUnmapped(unmapped, ledger);
    if (pages.length > 0 && hasPictures(bytes)) ledger.say("The PDF has pictures, which are not read.");
    const isScan = part === undefined && withoutText.length === count;
    if (pages.length > 0 && withoutText.length > 0) {
      pages.push(isScan ? noPageHasText : scanNote(withoutText, count));
    }
    const others = isContained ? "" : " Read others with part.";
    if (numbers.length > maxPages) pages.push(`[Only the first ${maxPages} pages are read.${others}]`);
    return pages.join("\n\n");
  } finally {
    await document.loadingTask.destroy();
  }
}

/** Whether a PDF has pictures. Each is a stream, whose description is never compressed. */
function hasPictures(bytes: Uint8Array): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return file.includes("/Subtype/Image") || file.includes("/Subtype /Image");
}

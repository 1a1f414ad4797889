import { getDocumentProxy } from "unpdf";
import { selectedNumbers } from "./parts.ts";
import { annotationText, type PdfAnnotation } from "./pdf-annotations.ts";
import { noPageHasText, scanNote } from "./scan-note.ts";

const maxPages = 2_000;

/**
 * The text of a PDF by pages, with the values of form fields and comments, empty for a scan. A note names the pages without
 * text. The signal is checked between pages. `part`: numbers of pages. `isContained`: the document is in another file.
 */
export async function pdfText(
  bytes: Uint8Array,
  part: string | undefined,
  signal: AbortSignal,
  isContained = false,
): Promise<string> {
  // A copy, because the library detaches the buffer.
  const document = await getDocumentProxy(Uint8Array.from(bytes), { verbosity: 0 });
  try {
    const pages: string[] = [];
    const withoutText: number[] = [];
    const numbers = selectedNumbers(part, "page", document.numPages, maxPages + 1);
    for (const number of numbers.slice(0, maxPages)) {
      signal.throwIfAborted();
      const page = await document.getPage(number);
      const { items } = await page.getTextContent();
      const text = items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : "")).join("");
      if (text.trim() === "") withoutText.push(number);
      const annotations = annotationText((await page.getAnnotations()) as PdfAnnotation[], number);
      const parts = [text.trim(), annotations].filter((each) => each !== "");
      if (parts.length > 0) pages.push([`[Page ${number} of ${document.numPages}]`, ...parts].join("\n"));
      page.cleanup();
    }
    const { info } = await document.getMetadata();
    const hasXfa = "IsXFAPresent" in info && info.IsXFAPresent === true;
    if (hasXfa) pages.push("[The PDF has an XFA form, which is not read: fields and values can be missing.]");
    const isScan = part === undefined && withoutText.length === document.numPages;
    if (pages.length > 0 && withoutText.length > 0) {
      pages.push(isScan ? noPageHasText : scanNote(withoutText, document.numPages));
    }
    const others = isContained ? "" : " Read others with part.";
    if (numbers.length > maxPages) pages.push(`[Only the first ${maxPages} pages are read.${others}]`);
    return pages.join("\n\n");
  } finally {
    await document.loadingTask.destroy();
  }
}

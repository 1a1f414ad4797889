import { getDocumentProxy } from "unpdf";
import { selectedNumbers } from "./parts.ts";

const maxPages = 2_000;

/**
 * The text of a PDF by pages, empty for a scan. The signal is checked between pages. `part`: numbers of pages.
 * `isContained`: the document is in another file.
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
    const numbers = selectedNumbers(part, "page", document.numPages, maxPages + 1);
    for (const number of numbers.slice(0, maxPages)) {
      signal.throwIfAborted();
      const page = await document.getPage(number);
      const { items } = await page.getTextContent();
      const text = items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : "")).join("");
      if (text.trim() !== "") pages.push(`[Page ${number} of ${document.numPages}]\n${text.trim()}`);
      page.cleanup();
    }
    const others = isContained ? "" : " Read others with part.";
    if (numbers.length > maxPages) pages.push(`[Only the first ${maxPages} pages are read.${others}]`);
    return pages.join("\n\n");
  } finally {
    await document.loadingTask.destroy();
  }
}

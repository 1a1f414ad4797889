import { getDocumentProxy } from "unpdf";
import { maxShownPages, type TakenPages } from "../taken-pages.ts";

/**
 * Makes a PDF of some pages of another one: `3` or `3-5`; absent: all of them. Form fields and comments stay. The copy of an
 * encrypted document that opens without a password is not encrypted: providers reject such documents.
 */
export async function pdfPages(bytes: Uint8Array, pages: string | undefined): Promise<TakenPages> {
  // A copy, because the library detaches the buffer.
  const document = await getDocumentProxy(Uint8Array.from(bytes), { verbosity: 0 });
  try {
    const count = document.numPages;
    const { first, last } = pages === undefined ? { first: 1, last: count } : rangeOf(pages, count);
    const { info } = await document.getMetadata();
    const isEncrypted = "EncryptFilterName" in info && info.EncryptFilterName !== null;
    const isWhole = first === 1 && last === count;
    if ((isWhole && !isEncrypted) || last - first >= maxShownPages) return { count, first, last };
    const content = await document.extractPages([{ document: null, includePages: [[first - 1, last - 1]] }]);
    if (!content) throw new PagesRefused("its pages cannot be copied");
    return { count, first, last, content };
  } finally {
    await document.loadingTask.destroy();
  }
}

/** The message is a clause for the model. */
export class PagesRefused extends Error {}

function rangeOf(pages: string, count: number): { first: number; last: number } {
  const [, from = "0", to = from] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(pages.trim()) ?? [];
  const [first, last] = [Number(from), Math.min(Number(to), count)];
  if (first >= 1 && first <= last) return { first, last };
  throw new PagesRefused(
    `there are no pages ${JSON.stringify(pages.slice(0, 50))}; accepted: such as 3 or 3-5, of 1-${count}`,
  );
}

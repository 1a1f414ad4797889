/** The end of the text of a PDF whose pages have form fields or comments, but no text. */
export const noPageHasText = "[No page has text: they are scanned or blank.]";

/** Names the pages without text, as ranges. `count`: of all pages of the document. */
export function scanNote(numbers: number[], count: number): string {
  const ranges: [first: number, last: number][] = [];
  for (const number of numbers) {
    const range = ranges.at(-1);
    if (range?.[1] === number - 1) range[1] = number;
    else ranges.push([number, number]);
  }
  const listed = ranges.slice(0, 100).map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`));
  const more = ranges.length > 100 ? " and others" : "";
  const [pages, have] = numbers.length === 1 ? ["Page", "has"] : ["Pages", "have"];
  return `[${pages} ${listed.join(", ")}${more} of ${count} ${have} no text: scanned or blank. Pictures are not read.]`;
}

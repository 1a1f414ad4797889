const space = /^\s?$/;
const punctuation = /[\p{P}\p{S}]/u;
const word = /[\p{L}\p{N}]/u;
/** East Asian words have no spaces between them, so marks beside them count as if there were some. */
const eastAsian = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/u;

/** Whether a mark between two characters can open and close emphasis. `_` does neither inside a word. */
export function flanking(mark: string, before: string, after: string): { opens: boolean; closes: boolean } {
  const beside = (inner: string, outer: string): boolean =>
    !space.test(inner) && (!punctuation.test(inner) || isEdge(outer)) && !(mark === "_" && word.test(outer));
  return { opens: beside(after, before), closes: beside(before, after) };
}

function isEdge(character: string): boolean {
  return space.test(character) || punctuation.test(character) || eastAsian.test(character);
}

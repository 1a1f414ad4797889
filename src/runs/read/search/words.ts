/** A word of a text, without accents and in lower case, and where it is. */
interface Word {
  folded: string;
  start: number;
  end: number;
}

/** What is searched: all of these phrases. The last word of a phrase can be the beginning of a word: see `canBegin`. */
export type Phrases = string[][];

/** A part of an excerpt. */
export interface ExcerptPart {
  text: string;
  match: boolean;
}

/** Characters of a text that are searched: more take longer than other requests should wait. */
export const maxSearched = 200_000;
/** Characters of an excerpt before the first match, and in all. */
const [before, length] = [60, 240];

/** Writing without spaces, of which each character is a word. */
const word =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[[\p{L}\p{N}\p{M}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]]+/gv;

function* wordsOf(text: string): Generator<Word> {
  for (const { 0: found, index } of text.matchAll(word)) {
    const folded = fold(found);
    if (folded !== "") yield { folded, start: index, end: index + found.length };
  }
}

/** Without accents and in lower case. Of what is not ASCII, letters and digits only: the words of a text follow each other. */
function fold(text: string): string {
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase(); // normalization does not change it
  const letters = text.normalize("NFKD").replaceAll(/[^\p{L}\p{N}]/gu, "");
  return letters.toLowerCase().replaceAll("ς", "σ"); // of which the first is only at the end of a word
}

/** The different words of texts. */
export function distinctWords(texts: string[]): Set<string> {
  const found = new Set<string>();
  for (const text of texts) for (const { folded } of wordsOf(text.slice(0, maxSearched))) found.add(folded);
  return found;
}

/** The phrases of what a person typed: each word, or several between quotation marks or joined by other characters. */
export function phrasesIn(query: string): Phrases {
  const terms = query.match(/"[^"]*"|\S+/g) ?? [];
  return terms.map((term) => [...wordsOf(term)].map(({ folded }) => folded)).filter((words) => words.length > 0);
}

/** Whether a searched word can be the beginning of a word. One letter begins too many. */
export function canBegin(searched: string): boolean {
  return searched.length > 1;
}

/** The place of each phrase in a text, the first ones. Undefined: not all are in it. */
function placesOf(text: string, phrases: Phrases): Pick<Word, "start" | "end">[] | undefined {
  const searched = text.slice(0, maxSearched);
  const folded = fold(searched); // most texts end here, in a tenth of the time
  if (!phrases.flat().every((each) => folded.includes(each))) return undefined;
  const words = [...wordsOf(searched)];
  const places = phrases.map((phrase) => {
    const last = phrase.length - 1;
    const at = words.findIndex((_, index) =>
      phrase.every((each, offset) => {
        const found = words[index + offset]?.folded;
        return offset === last && canBegin(each) ? found?.startsWith(each) : found === each;
      }),
    );
    const [first, end] = [words[at], words[at + last]];
    return first && end && { start: first.start, end: end.end };
  });
  return places.every((place) => place !== undefined) ? places : undefined;
}

/** The surroundings of the first match, with the matches in them. Undefined: the text does not have all phrases. */
export function excerptAround(text: string, phrases: Phrases): ExcerptPart[] | undefined {
  const places = placesOf(text, phrases)?.toSorted((a, b) => a.start - b.start);
  if (!places?.[0]) return undefined;
  const start = startOfWord(text, places[0].start - before);
  const end = Math.max(places[0].end, endOfCharacter(text, start + length));
  const parts: ExcerptPart[] = [{ text: start > 0 ? "…" : "", match: false }];
  let at = start;
  for (const place of places) {
    if (place.start < at || place.end > end) continue;
    parts.push(
      { text: text.slice(at, place.start), match: false },
      { text: text.slice(place.start, place.end), match: true },
    );
    at = place.end;
  }
  parts.push({ text: text.slice(at, end) + (end < text.length ? "…" : ""), match: false });
  return parts.filter((part) => part.text !== "");
}

/** The beginning of the word at `index`, unless it is far away. */
function startOfWord(text: string, index: number): number {
  if (index <= 0) return 0;
  const space = text.slice(index, index + before / 2).search(/\s/);
  const start = space < 0 ? index : index + space + 1;
  return isLowSurrogate(text, start) ? start - 1 : start;
}

function endOfCharacter(text: string, index: number): number {
  return Math.min(text.length, isLowSurrogate(text, index) ? index + 1 : index);
}

function isLowSurrogate(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code >= 0xdc00 && code <= 0xdfff;
}

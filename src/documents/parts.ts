/** A file in an email or an archive. */
export interface ContainedFile {
  name: string;
  read(): Promise<Uint8Array>;
}

/** The requested part of a document does not exist. The message is a clause that names the parts. */
export class UnknownPart extends Error {
  /** `unit`: what the parts are, such as `sheet`. */
  constructor(part: string, unit: string, names: string[]) {
    const [asked = "", ...listed] = [part, ...names.slice(0, 50)].map((name) => JSON.stringify(name.slice(0, 200)));
    const more = names.length > 50 ? ` and ${names.length - 50} more` : "";
    super(`there is no ${unit} ${asked}; accepted as part: ${listed.join(", ")}${more}`);
  }
}

/** A part of a document without parts was requested. */
export class NoParts extends Error {
  constructor() {
    super("documents of this kind have no parts; read it without part");
  }
}

/** Throws for a part of a document that has none. */
export function rejectPart(part: string | undefined): void {
  if (part !== undefined) throw new NoParts();
}

/**
 * The numbers of the selected pages or slides, at most `max`: `3` or `3-5`. Default: all of them, from 1 to `count`, which
 * a damaged document can declare wrongly.
 */
export function selectedNumbers(part: string | undefined, unit: string, count: number, max = Infinity): number[] {
  const [, first = part === undefined ? "1" : "0", last = part === undefined ? String(count) : first] =
    /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(part?.trim() ?? "") ?? [];
  const [from, to] = [Number(first), Math.min(Number(last), count)];
  if (part !== undefined && (from < 1 || from > to)) throw new UnknownPart(part, unit, [`1-${count}`]);
  return Array.from({ length: Math.min(Math.max(0, to - from + 1), max) }, (_, index) => from + index);
}

/** Makes names unique: the second file `a` becomes `a (2)`. */
export function uniqueNames(names: string[]): string[] {
  const taken = new Set<string>();
  /** The last number given to files of this name. Without it, 10,000 equal names take 50 million steps. */
  const numbers = new Map<string, number>();
  return names.map((name) => {
    let number = numbers.get(name) ?? 1;
    let unique = number === 1 ? name : `${name} (${number})`;
    while (taken.has(unique)) unique = `${name} (${++number})`;
    numbers.set(name, number);
    taken.add(unique);
    return unique;
  });
}

/** Escapes characters that could make a name look like another one, such as U+202E, and line ends. */
export function escapeInvisible(name: string): string {
  return name.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

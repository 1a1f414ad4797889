import { escapeInvisible } from "./parts.ts";

/** Kinds of things, and sentences, that are named. */
const maxNamed = 20;
const maxSentenceCharacters = 300;

/**
 * What a conversion leaves out. A reader names each thing here that the document has and its text does not, so that no reader
 * of the text takes it for the whole.
 */
export function openLedger() {
  const counts = new Map<string, { many: string; count: number }>();
  const sentences = new Set<string>();
  let others = 0;
  return {
    /** `one`: its name, such as `equation`; `many`: the plural. */
    leaveOut(one: string, count = 1, many = `${one}s`): void {
      if (count === 0) return;
      const known = counts.get(one);
      if (known) known.count += count;
      else if (counts.size < maxNamed) counts.set(one, { many, count });
      else others += count;
    },
    /** A sentence that is said once. Names in it are the document's. */
    say(sentence: string): void {
      const text = escapeInvisible(sentence);
      const shown = text.length > maxSentenceCharacters ? `${text.slice(0, maxSentenceCharacters)}…` : text;
      if (sentences.has(shown)) return;
      if (sentences.size < maxNamed) sentences.add(shown);
      else others++;
    },
    /** Sentences about what the text lacks, for people and models. */
    notes(): string[] {
      const named = [...counts].map(([one, { many, count }]) => `${count} ${count === 1 ? one : many}`);
      const left = named.length > 0 ? [`Not in this text: ${named.join(", ")}.`] : [];
      return [...left, ...sentences, ...(others > 0 ? [`${others} more things are not named here.`] : [])];
    },
  };
}

/** The notes of a document as lines that follow its text. */
export function noteLines({ notes = [] }: { notes?: string[] }): string[] {
  return notes.map((note) => `[${note}]`);
}

export type Ledger = ReturnType<typeof openLedger>;

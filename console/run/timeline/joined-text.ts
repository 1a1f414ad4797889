import type { TextDelta } from "../../api/types.ts";

/** Joins parts of a text, each once. */
export class JoinedText {
  #joined: TextDelta | undefined;
  #last: TextDelta | undefined;

  /** The text of the last step in these parts, from the first character that is known. */
  of(parts: readonly TextDelta[]): Pick<TextDelta, "from" | "text"> {
    for (const part of parts.slice(this.#last ? parts.indexOf(this.#last) + 1 : 0)) this.#add(part);
    this.#last = parts.at(-1);
    return this.#joined ?? { from: 0, text: "" };
  }

  /** Of a part behind what is known, what comes before is missing. */
  #add(part: TextDelta): void {
    const before = this.#joined;
    const at = before?.turn === part.turn && before.step === part.step ? part.from - before.from : 0;
    const isNext = before && at > 0 && at <= before.text.length;
    this.#joined = isNext ? { ...before, text: before.text.slice(0, at) + part.text } : part;
  }
}

/** Characters from which on a block of lines is complete. */
const blockCharacters = 2_000;

/** A text in blocks of whole lines. All but the last stay as they are while the text grows. */
export function blocksOf(text: string): string[] {
  const blocks: string[] = [];
  let start = 0;
  for (let end = 0; end < text.length; start = end) {
    const newline = text.indexOf("\n", start + blockCharacters);
    end = newline === -1 ? text.length : newline + 1;
    blocks.push(text.slice(start, end));
  }
  return blocks;
}

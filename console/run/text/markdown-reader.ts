import { Lexer, Tokenizer, type Token } from "marked";

/** Characters of a text that is read as Markdown. A longer one is shown as it is. */
export const longestMarkdown = 64 * 1024;

/**
 * Characters that a tokenizer may look at in one text. These three look ahead from each mark or line: `*a_`, repeated to 64 KB,
 * takes 100 s without bounds. Behind them, marks and tables stay text. Documents of people need a hundredth.
 */
export const mostLooked = { emStrong: 8_000_000, inlineText: 60_000_000, table: 100_000_000 };

/** Reads Markdown without HTML, which stays text. `looked` counts what was looked at. */
class BoundedTokenizer extends Tokenizer {
  readonly looked = { emStrong: 0, inlineText: 0, table: 0 };

  override html(): undefined {
    return undefined;
  }

  override tag(): undefined {
    return undefined;
  }

  override emStrong(...[source, masked, before]: Parameters<Tokenizer["emStrong"]>): ReturnType<Tokenizer["emStrong"]> {
    return this.#may("emStrong", source) ? super.emStrong(source, masked, before) : undefined;
  }

  override inlineText(source: string): ReturnType<Tokenizer["inlineText"]> {
    if (this.#may("inlineText", source)) return super.inlineText(source);
    return { type: "text", raw: source, text: source, escaped: false };
  }

  override table(source: string): ReturnType<Tokenizer["table"]> {
    return this.#may("table", source) ? super.table(source) : undefined;
  }

  #may(tokenizer: keyof typeof mostLooked, source: string): boolean {
    if (this.looked[tokenizer] + source.length > mostLooked[tokenizer]) return false;
    this.looked[tokenizer] += source.length;
    return true;
  }
}

/**
 * The tokens of a Markdown text (GitHub's dialect), and how many characters some of its tokenizers looked at. Undefined: the text
 * is too long, or nested too deeply to be read.
 */
export function readMarkdown(text: string): { tokens: Token[]; looked: BoundedTokenizer["looked"] } | undefined {
  if (text.length > longestMarkdown) return undefined;
  const tokenizer = new BoundedTokenizer();
  try {
    return { tokens: new Lexer({ gfm: true, tokenizer }).lex(text), looked: tokenizer.looked };
  } catch (error) {
    if (error instanceof RangeError) return undefined; // of the stack: thousands of quotes in each other
    throw error;
  }
}

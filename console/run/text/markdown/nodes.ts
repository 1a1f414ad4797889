/** Deeper nesting, of blocks or of marks in a line, is shown as text: it is an attack on the reader, not a document. */
export const deepest = 24;

/** A block of a document. `text` is the source of its content, for `readInlines`. */
export type Block =
  | { type: "paragraph"; text: string }
  | { type: "heading"; level: number; text: string }
  /** `info`: what follows the opening fence, such as a language. */
  | { type: "code"; info: string; text: string }
  | { type: "quote"; blocks: Block[] }
  /** `start`: of a numbered list. `loose`: its paragraphs are set apart. */
  | { type: "list"; start: number | undefined; loose: boolean; items: Item[] }
  /** The first row is the header. Rows can have fewer or more cells than it. */
  | { type: "table"; align: Align[]; rows: string[][] }
  | { type: "rule" };

/** `checked`: of a task, whether its box is. */
export interface Item {
  checked: boolean | undefined;
  blocks: Block[];
}

export type Align = "left" | "center" | "right" | undefined;

/** A part of a block's content. A string is text. */
export type Inline =
  | string
  | { type: "strong" | "em" | "del"; children: Inline[] }
  | { type: "code"; text: string }
  /** `address`: http, https or mailto, normalized. */
  | { type: "link"; address: string; children: Inline[] }
  | { type: "break" };

/** Addresses of reference links by label. */
export type Definitions = Map<string, string>;

/** Counts what a reader did: about one step per character looked at and per node made. Tests prove with it that time is linear. */
export interface Work {
  steps: number;
}

import { labelOf, webAddress } from "./characters.ts";
import {
  alignOf,
  cellsOf,
  continues,
  dedent,
  fenceAfter,
  heading,
  indentOf,
  interruptsParagraph,
  isBlank,
  isIndented,
  isRule,
  kindOf,
  marker,
  quote,
  startsBlock,
} from "./lines.ts";
import { type Block, deepest, type Definitions, type Item, type Work } from "./nodes.ts";

/** A document: its blocks, and the definitions of its reference links. */
export interface Document {
  blocks: Block[];
  definitions: Definitions;
}

/**
 * Reads the blocks of a Markdown text. Each line is visited once per level of nesting, and levels are bounded, so that
 * time is linear. More lenient than CommonMark where models are: any indentation of two columns nests lists.
 */
export function readBlocks(text: string, work: Work = { steps: 0 }): Document {
  const definitions: Definitions = new Map();
  const reader = new BlockReader(text.split(/\r?\n/), { depth: 0, inList: false, definitions, work });
  return { blocks: reader.read(), definitions };
}

interface Context {
  depth: number;
  /** In lists there is no indented code: it would be ambiguous. */
  inList: boolean;
  definitions: Definitions;
  work: Work;
}

const underline = /^ {0,3}(={2,}|-{2,})[ \t]*$/;
const task = /^\[([ xX])\][ \t]+/;
const definition = /^ {0,3}\[([^[\]^][^[\]]*)\]:[ \t]*<?(\S+?)>?(?:[ \t]+(?:"[^"]*"|'[^']*'|\([^)]*\)))?[ \t]*$/;

class BlockReader {
  readonly #lines: string[];
  readonly #context: Context;
  #at = 0;

  constructor(lines: string[], context: Context) {
    this.#lines = lines;
    this.#context = context;
  }

  read(): Block[] {
    if (this.#context.depth >= deepest) return [{ type: "paragraph", text: this.#lines.join("\n") }];
    const blocks: Block[] = [];
    for (let line = this.#line; line !== undefined; line = this.#line) {
      const block = isBlank(line) || this.#isDefinition(line) ? this.#skip() : this.#block(line);
      if (block) blocks.push(block);
    }
    return blocks;
  }

  #block(line: string): Block {
    return (
      this.#indented(line) ??
      this.#fenced(line) ??
      this.#heading(line) ??
      (isRule(line) ? (this.#skip(), { type: "rule" }) : undefined) ??
      this.#quote(line) ??
      this.#list(line) ??
      this.#table(line) ??
      this.#paragraph()
    );
  }

  /** The line to read. Each access counts as work. */
  get #line(): string | undefined {
    const line = this.#lines[this.#at];
    this.#context.work.steps += (line?.length ?? 0) + 1;
    return line;
  }

  #skip(): undefined {
    this.#at++;
  }

  #nested(lines: string[], inList: boolean): Block[] {
    return new BlockReader(lines, { ...this.#context, depth: this.#context.depth + 1, inList }).read();
  }

  #isDefinition(line: string): boolean {
    const [, label, source] = definition.exec(line) ?? [];
    const address = source && webAddress(source);
    if (label === undefined || !address) return false;
    const { definitions } = this.#context;
    if (!definitions.has(labelOf(label))) definitions.set(labelOf(label), address);
    return true;
  }

  #indented(first: string): Block | undefined {
    const before = this.#lines[this.#at - 1] ?? "";
    if (this.#context.inList || !isIndented(first) || !isBlank(before) || marker.test(first)) return undefined;
    const code: string[] = [];
    for (let line = this.#line; line !== undefined && (isBlank(line) || isIndented(line)); line = this.#line) {
      code.push(dedent(line, 4));
      this.#at++;
    }
    return { type: "code", info: "", text: code.join("\n").trimEnd() };
  }

  #fenced(first: string): Block | undefined {
    let open = fenceAfter(undefined, first);
    if (open === undefined) return undefined;
    const code: string[] = [];
    const [indentation, info] = [indentOf(first), first.trim().slice(open.length).trim()];
    this.#at++;
    for (let line = this.#line; line !== undefined; line = this.#line) {
      this.#at++;
      open = fenceAfter(open, line);
      if (open === undefined) break;
      code.push(dedent(line, indentation));
    }
    return { type: "code", info, text: code.join("\n") };
  }

  #heading(line: string): Block | undefined {
    const [start, marks] = heading.exec(line) ?? [];
    if (start === undefined || marks === undefined) return undefined;
    this.#at++;
    const text = line
      .slice(start.length)
      .trim()
      .replace(/(^|[ \t])#+$/, "");
    return { type: "heading", level: marks.length, text: text.trimEnd() };
  }

  #quote(first: string): Block | undefined {
    if (!quote.test(first)) return undefined;
    const inner: string[] = [];
    let fence: string | undefined;
    for (let line = this.#line; line !== undefined; line = this.#line) {
      if (!quote.test(line) && (fence !== undefined || !continues(inner.at(-1) ?? "", line))) break;
      const content = line.replace(quote, "");
      fence = fenceAfter(fence, content);
      inner.push(content);
      this.#at++;
    }
    return { type: "quote", blocks: this.#nested(inner, false) };
  }

  #list(first: string): Block | undefined {
    const [, , number] = marker.exec(first) ?? [];
    const kind = kindOf(first);
    if (kind === undefined) return undefined;
    const indentation = indentOf(first);
    const items: Item[] = [];
    let loose = false;
    for (let line = this.#line; line !== undefined && kindOf(line) === kind; line = this.#line) {
      if (items.length > 0 && isBlank(this.#lines[this.#at - 1] ?? "")) loose = true;
      const { item, apart } = this.#item(line, indentation);
      items.push(item);
      loose ||= apart;
    }
    return { type: "list", start: number === undefined ? undefined : Number(number), loose, items };
  }

  /** `apart`: a blank line separates two of its blocks. */
  #item(first: string, indentation: number): { item: Item; apart: boolean } {
    const [start = ""] = marker.exec(first) ?? [];
    const spaces = start.length - start.trimEnd().length;
    let width = indentOf(first) + start.trim().length + (spaces > 4 ? 1 : spaces || 1);
    let content = first.slice(start.length);
    const [box, check] = task.exec(content) ?? [""];
    content = content.slice(box.length);
    const inner = [content];
    let [fence, apart] = [fenceAfter(undefined, content), false];
    this.#at++;
    for (let line = this.#line; line !== undefined; line = this.#line) {
      const before = inner.at(-1) ?? "";
      const belongs = fence !== undefined || isBlank(line) || indentOf(line) >= indentation + 2;
      if (!belongs && !continues(before, line)) break;
      // The first line can be indented less than the text of the item: "1. a", then "  - b".
      if (inner.length === 1 && indentOf(line) >= indentation + 2) width = Math.min(width, indentOf(line));
      content = dedent(line, width);
      if (fence === undefined && isBlank(before) && !isBlank(line) && indentOf(content) < 2) apart = inner.length > 1;
      fence = fenceAfter(fence, content);
      inner.push(content);
      this.#at++;
    }
    const checked = check === undefined ? undefined : check !== " ";
    return { item: { checked, blocks: this.#nested(inner, true) }, apart };
  }

  #table(first: string): Block | undefined {
    if (!this.#isTable(first)) return undefined;
    const align = cellsOf(this.#lines[this.#at + 1] ?? "").map(alignOf);
    const rows = [cellsOf(first)];
    this.#at += 2;
    for (let line = this.#line; line?.includes("|") && !startsBlock(line); line = this.#line) {
      rows.push(cellsOf(line));
      this.#at++;
    }
    return { type: "table", align, rows };
  }

  #isTable(line: string): boolean {
    const next = this.#lines[this.#at + 1] ?? "";
    this.#context.work.steps += next.length;
    return line.includes("|") && next.includes("|") && cellsOf(next).every((cell) => /^:?-+:?$/.test(cell));
  }

  #paragraph(): Block {
    const text: string[] = [(this.#line ?? "").trimStart()];
    this.#at++;
    for (let line = this.#line; line !== undefined && !isBlank(line); line = this.#line) {
      const [, marks] = underline.exec(line) ?? [];
      if (marks !== undefined) {
        this.#at++;
        return { type: "heading", level: marks.startsWith("=") ? 1 : 2, text: text.join("\n").trimEnd() };
      }
      if (interruptsParagraph(line) || this.#isTable(line)) break;
      text.push(line.trimStart());
      this.#at++;
    }
    return { type: "paragraph", text: text.join("\n").trimEnd() };
  }
}

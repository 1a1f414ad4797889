import { labelOf, reference, referenced, webAddress } from "./characters.ts";
import { flanking } from "./flanking.ts";
import { bareAddress, directTarget, inAngles, matchAt, type Target } from "./link-target.ts";
import { deepest, type Definitions, type Inline, type Work } from "./nodes.ts";

/**
 * Reads the content of a block. One pass with a stack of the marks and brackets that are open. What is taken from the
 * stack never returns, and it is searched only for what it holds, so that time is linear.
 */
export function readInlines(text: string, definitions: Definitions, work: Work = { steps: 0 }): Inline[] {
  return new InlineReader(text, definitions, work).read();
}

/** An open mark: a run of one to three `*` or `_`, a `~~`, or a bracket. */
interface Open {
  mark: string;
  size: number;
  /** Its place among the nodes. What follows is its content. */
  node: number;
  /** Its place in the text. */
  at: number;
  /** Levels of nodes in its content. */
  levels: number;
  image: boolean;
}

const special = /[\\`*_~[\]!<&\n]|https?:\/\//g;
const mail = /^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/;
const label = /\[([^[\]]*)\]/y;

class InlineReader {
  readonly #text: string;
  readonly #definitions: Definitions;
  readonly #work: Work;
  #at = 0;
  readonly #nodes: Inline[] = [];
  readonly #stack: Open[] = [];
  /** How many of each mark are open: `*1` those of which one can be closed, `*2` those of which two can. */
  readonly #open = new Map<string, number>();
  /** Behind the last bracket: labels contain none. */
  #lastBracket = 0;
  /** The last place of a run of backticks, by its length. */
  #runs: Map<number, number> | undefined;

  constructor(text: string, definitions: Definitions, work: Work) {
    this.#text = text;
    this.#definitions = definitions;
    this.#work = work;
  }

  read(): Inline[] {
    const text = this.#text;
    while (this.#at < text.length) {
      special.lastIndex = this.#at;
      const found = special.exec(text);
      this.#add(text.slice(this.#at, found?.index));
      if (!found) break;
      this.#at = found.index;
      this.#readSpecial(found[0]);
    }
    return joined(this.#nodes);
  }

  #readSpecial(found: string): void {
    if (found === "\\") this.#escape();
    else if (found === "`") this.#code();
    else if (found === "*" || found === "_" || found === "~") this.#mark(found);
    else if (found === "[") this.#bracket(false);
    else if (found === "!" && this.#text[this.#at + 1] === "[") this.#bracket(true);
    else if (found === "]") this.#closeBracket();
    else if (found === "<") this.#angle();
    else if (found === "&") this.#reference();
    else if (found === "\n") this.#lineEnd();
    else if (found.startsWith("http")) this.#bareLink(found);
    else this.#take(found.length);
  }

  #add(node: Inline, levels = 0): void {
    this.#work.steps += 1 + (typeof node === "string" ? node.length : 0);
    if (node !== "") this.#nodes.push(node);
    this.#raise(levels);
  }

  #raise(levels: number): void {
    const top = this.#stack.at(-1);
    if (top && top.levels < levels) top.levels = levels;
  }

  /** Adds characters of the text as they are. */
  #take(length: number): void {
    this.#add(this.#text.slice(this.#at, this.#at + length));
    this.#at += length;
  }

  #escape(): void {
    const next = this.#text[this.#at + 1] ?? "";
    if (!/[!-/:-@[-`{-~\n]/.test(next)) return this.#take(1);
    this.#add(next === "\n" ? { type: "break" } : next);
    this.#at += 2;
  }

  #lineEnd(): void {
    const last = this.#nodes.at(-1);
    const trimmed = typeof last === "string" ? last.trimEnd() : undefined;
    const hard = typeof last === "string" && last.endsWith("  ");
    if (trimmed !== undefined) this.#nodes[this.#nodes.length - 1] = trimmed;
    this.#add(hard ? { type: "break" } : "\n");
    this.#at++;
  }

  #reference(): void {
    const [source = ""] = reference.exec(this.#text.slice(this.#at, this.#at + 12)) ?? [];
    const character = referenced(source);
    if (character === undefined) return this.#take(1);
    this.#add(character);
    this.#at += source.length;
  }

  #code(): void {
    const size = this.#runLength("`");
    if (!this.#runs) this.#work.steps += this.#text.length;
    this.#runs ??= new Map([...this.#text.matchAll(/`+/g)].map(({ 0: run, index }) => [run.length, index]));
    const start = this.#at + size;
    if ((this.#runs.get(size) ?? 0) < start) return this.#take(size);
    let end = start;
    for (let found = 0; found !== size;) {
      end = this.#text.indexOf("`", end + found);
      found = this.#runLength("`", end);
    }
    this.#work.steps += end - start;
    const text = this.#text.slice(start, end).replaceAll("\n", " ");
    const padded = text.startsWith(" ") && text.endsWith(" ") && text.trim() !== "";
    this.#add({ type: "code", text: padded ? text.slice(1, -1) : text });
    this.#at = end + size;
  }

  #runLength(character: string, from = this.#at): number {
    let end = from;
    while (this.#text[end] === character) end++;
    this.#work.steps += end - from;
    return end - from;
  }

  /** A run of marks. It can close what is open, and open what follows. */
  #mark(mark: string): void {
    const run = this.#runLength(mark);
    if (mark === "~" ? run !== 2 : run > 3) return this.#take(run);
    const [before, after] = [this.#text[this.#at - 1] ?? "", this.#text[this.#at + run] ?? ""];
    const { opens, closes } = flanking(mark, before, after);
    const rest = closes ? this.#close(mark, run) : run;
    this.#at += run;
    if (rest === 0) return;
    this.#add(mark.repeat(rest));
    if (opens) this.#push(mark, rest);
  }

  /** Closes what is open as far as it fits. Returns the number of marks that are left. */
  #close(mark: string, run: number): number {
    let size = run;
    const isOpen = (count: number): boolean => (this.#open.get(mark + count) ?? 0) > 0;
    while ((size >= 2 && isOpen(2)) || (size % 2 === 1 && isOpen(1))) {
      const open = this.#pop();
      if (open?.mark !== mark) continue;
      const used = Math.min(size, open.size, 2);
      if (used === 1 && (size % 2 === 0 || open.size % 2 === 0)) continue;
      if (open.levels >= deepest) continue;
      size -= used;
      const children = this.#content(open);
      if (open.size > used) {
        this.#nodes.push(mark.repeat(open.size - used));
        this.#push(mark, open.size - used);
      }
      this.#add({ type: mark === "~" ? "del" : used === 2 ? "strong" : "em", children }, open.levels + 1);
    }
    return size;
  }

  #push(mark: string, size: number, image = false): void {
    this.#stack.push({ mark, size, node: this.#nodes.length - 1, at: this.#at, levels: 0, image });
    this.#count(mark, size, 1);
  }

  #pop(): Open | undefined {
    const open = this.#stack.pop();
    if (!open) return undefined;
    this.#work.steps++;
    this.#count(open.mark, open.size, -1);
    this.#raise(open.levels);
    return open;
  }

  #count(mark: string, size: number, by: number): void {
    const add = (key: string): unknown => this.#open.set(key, (this.#open.get(key) ?? 0) + by);
    if (size >= 2) add(`${mark}2`);
    if (size % 2 === 1) add(`${mark}1`);
  }

  /** Takes an open mark and its content from the nodes. */
  #content({ node }: Open): Inline[] {
    const [, ...children] = this.#nodes.splice(node);
    this.#work.steps += children.length + 1;
    return joined(children);
  }

  #bracket(image: boolean): void {
    this.#take(image ? 2 : 1);
    this.#lastBracket = this.#at;
    this.#push("[", 1, image);
  }

  /** A bracket that closes a link. Images, which would be requests to other origins, and other addresses stay text. */
  #closeBracket(): void {
    if ((this.#open.get("[1") ?? 0) === 0) return this.#take(1);
    let open = this.#pop();
    while (open && open.mark !== "[") open = this.#pop();
    const target = open && (directTarget(this.#text, this.#at + 1, this.#work) ?? this.#referenceTarget(open));
    this.#lastBracket = this.#at;
    if (!open || !target) return this.#take(1);
    if (open.image || target.address === undefined || open.levels >= deepest) return this.#take(target.end - this.#at);
    this.#add({ type: "link", address: target.address, children: this.#content(open) }, open.levels + 1);
    this.#at = target.end;
  }

  /** `[text][label]`, `[label][]` or `[label]`. */
  #referenceTarget(open: Open): Target | undefined {
    if (this.#definitions.size === 0) return undefined;
    const found = matchAt(label, this.#text, this.#at + 1, this.#work);
    const own = this.#lastBracket === open.at ? this.#text.slice(open.at, this.#at) : "";
    const address = this.#definitions.get(labelOf(found?.[1] || own));
    return address === undefined ? undefined : { address, end: this.#at + 1 + (found?.[0].length ?? 0) };
  }

  /** `<https://…>` and `<name@example.com>` are links. Other tags are text. */
  #angle(): void {
    const [source = ""] = matchAt(inAngles, this.#text, this.#at, this.#work) ?? [];
    const inside = source.slice(1, -1);
    if (!source.endsWith(">") || !/^[a-z/!?]/i.test(inside)) return this.#take(1);
    const address = /^(https?:\/\/|mailto:)\S+$/i.test(inside) ? inside : mail.test(inside) ? `mailto:${inside}` : "";
    this.#link(webAddress(address), inside, source);
  }

  /** An address in the text, without the punctuation behind it. */
  #bareLink(found: string): void {
    const shown = bareAddress(this.#text, this.#at, this.#work);
    if (shown === undefined) return this.#take(found.length);
    this.#link(webAddress(shown), shown, shown);
  }

  #link(address: string | undefined, shown: string, source: string): void {
    if (address === undefined) return this.#take(source.length);
    this.#add({ type: "link", address, children: [shown] }, 1);
    this.#at += source.length;
  }
}

/** Nodes with adjacent texts as one. */
function joined(nodes: Inline[]): Inline[] {
  const result: Inline[] = [];
  for (const node of nodes) {
    const last = result.at(-1);
    if (typeof node === "string" && typeof last === "string") result[result.length - 1] = last + node;
    else if (node !== "") result.push(node);
  }
  return result;
}

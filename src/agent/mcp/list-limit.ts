import { findExcessiveDepth } from "../../json.ts";
import { joinLimited } from "../tools/files/files.ts";

/** Tools and characters of a server's list that are read. A list of 20,000 tools stopped other requests for 0.4 s. */
const most = { tools: 500, characters: 1_000_000 };
/** Characters of a tool's definition, which is part of every model request. */
const maxDefinitionCharacters = 50_000;

type Listed = Record<string, unknown>;

/** What is read of a server's list of tools, over all of its pages. */
export class ListLimit {
  /** The names of the tools that the agent may use. Undefined: all. */
  readonly #wanted: ReadonlySet<unknown> | undefined;
  #tools = 0;
  #characters = 0;
  #unread = 0;
  #tooLarge: unknown[] = [];

  constructor(wanted: readonly string[] | undefined) {
    this.#wanted = wanted && new Set(wanted);
  }

  /** A list begins with its first page. */
  begin(): void {
    this.#tools = 0;
    this.#characters = 0;
    this.#unread = 0;
    this.#tooLarge = [];
  }

  /** Whether further pages are not read. */
  get isReached(): boolean {
    return this.#unread > 0;
  }

  /** The tools of a page that are wanted, can be part of every model request, and fit. */
  within(page: Listed[]): Listed[] {
    return page.filter((tool) => {
      if (this.#wanted && !this.#wanted.has(tool["name"])) return false;
      const size = this.#tools < most.tools ? sizeOf(tool) : 0;
      if (size === undefined) return void this.#tooLarge.push(tool["name"]);
      const fits = this.#tools < most.tools && this.#characters + size <= most.characters;
      if (!fits) return void this.#unread++;
      this.#tools++;
      this.#characters += size;
      return true;
    });
  }

  /** For the operator and the model: what is missing and why. `listed`: what has been read. Clauses without a subject. */
  problems(listed: { name: string }[]): string[] {
    const names = new Set<unknown>([...this.#tooLarge, ...listed.map(({ name }) => name)]);
    const missing = this.#unread > 0 ? [] : [...(this.#wanted ?? [])].filter((name) => !names.has(name));
    const large = this.#tooLarge.map((name) => JSON.stringify(String(name).slice(0, 200)));
    return [
      ...missing.map((name) => `it has no tool ${JSON.stringify(name)}`),
      ...(large.length === 0
        ? []
        : [`its tool ${joinLimited(large)} is left out: its definition is too large or nested too deep`]),
      ...(this.#unread === 0
        ? []
        : [
            `it lists more than ${most.tools} tools or ${most.characters} characters: ${this.#tools} tools are read. ` +
              "Name those that the agent needs in its file (mcp, tools)",
          ]),
    ];
  }
}

/** Characters of a definition. Undefined: too large or nested too deep. The schema of results is not used. */
function sizeOf(tool: Listed): number | undefined {
  const { outputSchema: _, ...definition } = tool;
  try {
    const text = JSON.stringify(definition);
    return text.length <= maxDefinitionCharacters && findExcessiveDepth(text) === undefined ? text.length : undefined;
  } catch {
    return undefined; // nested too deep for JSON.stringify
  }
}

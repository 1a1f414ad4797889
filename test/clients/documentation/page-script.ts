import packageFile from "../../../package.json" with { type: "json" };

/** A fenced code block of a page. */
export interface Block {
  /** Line of the page on which its code begins. */
  line: number;
  language: "sh" | "python" | "ts";
  /** Words after the language, such as `not-run: aws`, or `file: receiver.py` for a file that later blocks use. */
  note: string;
  code: string;
}

const fence = /^```(sh|python|ts)\b[ \t]*([^\n]*)\n([^]*?)^```$/gm;

/** The blocks of a page that are commands and programs, in order. */
export function blocksOf(page: string): Block[] {
  return [...page.matchAll(fence)].map(({ 0: whole, 1: language, 2: note = "", 3: code = "", index }) => ({
    line: page.slice(0, index + whole.indexOf("\n")).split("\n").length + 1,
    language: language as Block["language"],
    note: note.trim(),
    code,
  }));
}

/** Why a block is not run: it needs an AWS account or a person, or it starts a server, as the tests of servers do. */
const notes = new Set(["not-run: aws", "not-run: person", "server"]);

/** What `npm-start.test.ts` and `package.test.ts` start. */
const servers = new Set(["npm start\n", `npx ./agent-run-service-${packageFile.version}.tgz\n`]);

/** The file that a block is to be saved as. Undefined: it is run at once. */
const fileOf = ({ note }: Block): string | undefined => /^file: ([\w.]+)$/.exec(note)?.[1];

/** The blocks to run or to save. Throws for a note that is not known, and for a server that no test starts. */
export function runnable(blocks: Block[]): Block[] {
  for (const block of blocks) {
    const { line, note, code } = block;
    if (note !== "" && !notes.has(note) && fileOf(block) === undefined) {
      throw new Error(`line ${line}: the note is ${JSON.stringify(note)}; accepted: ${[...notes].join(", ")}`);
    }
    if (note === "server" && !servers.has(code)) throw new Error(`line ${line}: no test starts this server: ${code}`);
  }
  return blocks.filter((block) => block.note === "" || fileOf(block) !== undefined);
}

/**
 * One bash script of a page's blocks, in order, so that variables and files of a block are there for the next ones. Each
 * block begins with a line on stderr, by which a failed one is found. `save` writes a program to a file and returns its path.
 */
export function pageScript(blocks: Block[], save: (name: string, code: string) => string): string {
  const parts = blocks.map((block) => {
    const heading = `echo "line ${block.line}" >&2\n`;
    const file = fileOf(block);
    if (file !== undefined) {
      save(file, block.code);
      return heading;
    }
    if (block.language === "sh") return heading + block.code;
    const path = save(`block-${block.line}.${block.language === "ts" ? "mts" : "py"}`, block.code);
    return `${heading}${block.language === "ts" ? "node" : "python3"} ${path}\n`;
  });
  return ["set -euo pipefail\n", ...parts].join("\n");
}

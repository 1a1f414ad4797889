import * as toolInputs from "./generated/tool-inputs.ts";
import type { ToolDefinition, ToolResult } from "./model.ts";
import { decodeText, excerpt } from "./text-files.ts";
import { listFiles, readFile, workspaceLimits, writeFile } from "./tool-definitions.ts";

/** The files that a turn works on. Names are flat. */
export interface Files {
  /** Sorted by name, sizes in bytes. */
  list(): Promise<{ name: string; size: number }[]>;
  read(name: string): Promise<Uint8Array | undefined>;
  /** Replaces a file of the same name. */
  write(name: string, content: Uint8Array): Promise<void>;
}

/** Text for the model. `error`: the text says what was wrong, what was received and what is accepted. */
export type ToolOutput = Pick<ToolResult, "text" | "error" | "attachments">;

export interface ToolContext {
  files: Files;
  /** Aborts when the output is no longer waited for. */
  signal: AbortSignal;
}

/**
 * A tool checks its input itself and answers what the model can mend with an error output. It rejects only for what
 * the model can't, such as a store's outage: that ends the turn's attempt, and the same call is made again later.
 */
export interface Tool {
  definition: ToolDefinition;
  /** `outside`: it changes what is not in the workspace, so a call whose result got lost is not made again blindly. */
  effects?: "outside";
  /** Calling it twice with the same input has the effect of calling it once. */
  idempotent?: boolean;
  run(input: unknown, context: ToolContext): Promise<ToolOutput>;
}

const list: Tool = builtIn(listFiles, async (_input: object, { files }) => {
  const found = await files.list();
  return { text: found.length === 0 ? "The workspace is empty." : found.map(fileLine).join("\n") };
});

const read: Tool = builtIn(
  readFile,
  async (input: { name: string; offset?: number; limit?: number; column?: number }, { files }) => {
    const bytes = isFlat(input.name) ? await files.read(input.name) : undefined;
    if (!bytes) {
      const names = (await files.list()).map((file) => JSON.stringify(file.name));
      return error(`There is no file ${JSON.stringify(input.name)}. Files of the workspace: ${shortened(names)}.`);
    }
    const content = decodeText(bytes);
    if ("binary" in content) {
      return error(`${input.name} is ${content.binary} of ${bytes.length} bytes; only text files can be read.`);
    }
    const result = excerpt(input.name, content.text, input);
    return "problem" in result ? error(result.problem) : result;
  },
);

const write: Tool = builtIn(writeFile, async (input: { name: string; content: string }, { files }) => {
  const problem = fileNameProblem(input.name);
  if (problem !== undefined) return error(problem);
  const content = new TextEncoder().encode(input.content);
  if (content.length > workspaceLimits.writeBytes) {
    const received = `The content has ${content.length} bytes of UTF-8`;
    return error(`${received}; at most ${workspaceLimits.writeBytes} are accepted. Write several smaller files.`);
  }
  const existing = await files.list();
  if (!existing.some((file) => file.name === input.name)) {
    const twin = existing.find((file) => sameOnSomeDisk(file.name, input.name));
    if (twin) return error(`The name differs from the existing ${twin.name} only in case; use that name, or another.`);
    if (existing.length >= workspaceLimits.files) {
      return error(
        `The workspace has ${existing.length} files, and at most ${workspaceLimits.files} are accepted. ` +
          "Replace a file that is there instead.",
      );
    }
  }
  await files.write(input.name, content);
  return { text: `Wrote ${fileLine({ name: input.name, size: content.length })}.` };
});

/** The tools that an agent may have, by name. A new one is its definition, its function and a line here. */
export const toolsByName: Record<string, Tool> = {
  list_files: list,
  read_file: read,
  write_file: write,
};

const filesNoteHeading = "Files in the workspace:";

/** Tells the model, before its first step, which files there are; undefined when there are none. */
export function filesNote(files: { name: string; size: number }[]): string | undefined {
  return files.length === 0 ? undefined : `${filesNoteHeading}\n${shortened(files.map(fileLine), "\n")}`;
}

export function isFilesNote(text: string): boolean {
  return text.startsWith(filesNoteHeading);
}

/** The names in what `list_files` answered. */
export function listedNames(text: string): string[] {
  return [...text.matchAll(/^(.*) \(\d+ bytes\)$/gm)].map((match) => match[1] ?? "");
}

function fileLine({ name, size }: { name: string; size: number }): string {
  return `${name} (${size} bytes)`;
}

/** At most 50 items: a list is to help, not to fill the context. */
function shortened(items: string[], separator = ", "): string {
  if (items.length === 0) return "none";
  const more = items.length > 50 ? `${separator}and ${items.length - 50} more` : "";
  return items.slice(0, 50).join(separator) + more;
}

function error(text: string): ToolOutput {
  return { text, error: true };
}

// Controls, invisible and unassigned characters, line and paragraph separators, and what Windows does not allow.
const unsafeName = /[\p{C}\p{Zl}\p{Zp}<>:"|?*/\\]|^[.\s]|[.\s]$|^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/iu;

/** Why a name can't be a file's; undefined when it can. */
export function fileNameProblem(name: string): string | undefined {
  if (name !== "" && Buffer.byteLength(name) <= 255 && !unsafeName.test(name)) return undefined;
  return (
    `${JSON.stringify(name.slice(0, 300))} can't name a file. Accepted: 1 to 255 bytes of UTF-8 without folders, ` +
    'the characters / \\ < > : " | ? *, control or invisible characters, dots or blanks at the start or the end, ' +
    "and none of the names that Windows reserves (CON, NUL, COM1 and the like)."
  );
}

/** Whether a name stays in the workspace. Uploaded files may have names that `write_file` would not make. */
function isFlat(name: string): boolean {
  return name !== "" && !name.startsWith(".") && !/[/\\\0]/.test(name);
}

function sameOnSomeDisk(a: string, b: string): boolean {
  return a.normalize("NFC").toLowerCase() === b.normalize("NFC").toLowerCase();
}

/** A tool whose input is checked with its validator compiled ahead of time. */
function builtIn<Input extends object>(
  definition: ToolDefinition,
  run: (input: Input, context: ToolContext) => Promise<ToolOutput>,
): Tool {
  const accepts = (toolInputs as Record<string, Validator>)[definition.name];
  if (!accepts) throw new Error(`No validator for ${definition.name}: run npm run generate`);
  return {
    definition,
    async run(input, context) {
      if (accepts(input)) return run(input as Input, context);
      return error(inputProblem(definition, accepts.errors ?? [], input));
    },
  };
}

interface Validator {
  (input: unknown): boolean;
  errors?: ValidationError[] | null;
}

interface ValidationError {
  instancePath: string;
  params: Record<string, unknown>;
  message?: string;
}

function inputProblem({ name, input: schema }: ToolDefinition, errors: ValidationError[], input: unknown): string {
  const wrong = errors.map(({ instancePath, params, message }) => {
    const subject = instancePath === "" ? "the input" : JSON.stringify(instancePath.slice(1));
    const extra = params["additionalProperty"];
    return `${subject} ${message}${typeof extra === "string" ? `: ${JSON.stringify(extra)}` : ""}`;
  });
  const received = (JSON.stringify(input) ?? "nothing").slice(0, 200);
  return `${name}: ${wrong.join("; ")}. Received: ${received}. Accepted: ${JSON.stringify(schema)}.`;
}

import { sandboxLimits } from "../../sandbox/program-limits.ts";
import type { Sandbox, SandboxEngine, SandboxFile, SandboxResult } from "../../sandbox/sandbox-types.ts";
import type { ToolDefinition } from "../model.ts";
import { openText } from "../../documents/encoding/decode-text.ts";
import { selectLines } from "../../documents/text-parts.ts";
import { encodingNotes } from "./files/encoding-notes.ts";
import { type Files, findFile, withLargeFiles } from "./files/files.ts";
import { runJavascript, runPythonDefinition } from "./program-definitions.ts";
import { programOutput, saveChanges } from "./save-changes.ts";
import { builtInTool, errorOutput, type Tool, type ToolContext, type ToolOutput } from "./tool.ts";

interface RunOptions {
  files?: string[];
  /** `FROM-TO`: lines of the one file. */
  lines?: string;
  seconds?: number;
}

/** Unavailable without a sandbox. */
export function runJavascriptTool(sandbox: Sandbox | undefined): Tool {
  if (!sandbox) return withoutSandbox(runJavascript);
  const tool = builtInTool(runJavascript, (input: { code: string } & RunOptions, context) =>
    runCode(sandbox, "javascript", input.code, input, context),
  );
  return { ...tool, runsPrograms: true };
}

/**
 * `run_python` in WebAssembly, with the standard library only. Unavailable without a sandbox. `replaced`: why it does not run
 * in the environment that the agent names.
 */
export function webAssemblyPythonTool(sandbox: Sandbox | undefined, replaced: string | undefined): Tool {
  if (!sandbox) return withoutSandbox(runPythonDefinition());
  const run = (input: { code: string } & RunOptions, context: ToolContext) =>
    runCode(sandbox, "python", input.code, input, context);
  const tool = builtInTool(runPythonDefinition(), run);
  return { ...tool, system: { kind: "wasm" }, runsPrograms: true, ...(replaced !== undefined && { replaced }) };
}

function withoutSandbox(definition: ToolDefinition): Tool {
  const unavailable = `${definition.name} is not available: this service runs without a sandbox for programs.`;
  return { definition, unavailable, run: async () => errorOutput(unavailable) };
}

async function runCode(
  sandbox: Sandbox,
  engine: SandboxEngine,
  program: string,
  { files: names, lines, seconds = sandboxLimits.defaultSeconds }: RunOptions,
  context: ToolContext,
): Promise<ToolOutput> {
  const { files, signal } = context;
  const input =
    lines === undefined
      ? await readInputFiles(files, names, sandbox.maxBytes)
      : await readFileLines(context, names, lines, sandbox.maxBytes);
  if ("problem" in input) return errorOutput(input.problem);
  const result = await sandbox.run({ engine, program, files: input.files, seconds }, signal);
  const notes = await files.update(() => saveResult(result, files, input.partial));
  const contents = new Map(input.files.map(({ name, content }) => [name, content]));
  const given = input.files.map(({ name, content }) => ({ name, size: content.length }));
  const encodings = await encodingNotes(program, given, async (name) => contents.get(name));
  return programOutput(
    result.output,
    [...result.notes, ...encodings, ...(input.note === undefined ? [] : [input.note]), ...notes],
    result.problem,
  );
}

/** `partial`: name of a file of which the program gets only a part, which `note` describes. */
type InputFiles = { files: SandboxFile[]; partial?: string; note?: string } | { problem: string };

/** Reads the files for the sandbox, unless they are larger than `max` together. */
async function readInputFiles(files: Files, names: string[] | undefined, max: number): Promise<InputFiles> {
  const listed = await files.list();
  const wanted = names === undefined ? listed : listed.filter(({ name }) => names.includes(name));
  const missing = names?.find((name) => !listed.some((file) => file.name === name));
  if (missing !== undefined) {
    const file = await findFile(files, missing);
    if ("problem" in file) return file;
  }
  const size = wanted.reduce((sum, file) => sum + file.size, 0);
  if (size > max) {
    const remedy = wanted.some((file) => file.size > max)
      ? "Pass a part of a large text file: name it in files, and set lines, such as 1-200000."
      : names === undefined
        ? "Name the files that the program needs in files."
        : "Run it on fewer files at a time.";
    return { problem: `The files have ${size} bytes together; the sandbox accepts at most ${max}. ${remedy}` };
  }
  const read = await Promise.all(wanted.map(async ({ name }) => ({ name, content: await files.read(name) })));
  return { files: read.flatMap(({ name, content }) => (content ? [{ name, content }] : [])) };
}

/** Reads lines of the one file in `names`, unless they have more than `max` bytes. */
async function readFileLines(
  context: ToolContext,
  names: string[] | undefined,
  lines: string,
  max: number,
): Promise<InputFiles> {
  const { files } = context;
  const [name, ...others] = names ?? [];
  if (name === undefined || others.length > 0) return { problem: "lines requires files with the name of one file." };
  const [, from = 0, to = 0] = (/^(\d+)-(\d+)$/.exec(lines) ?? []).map(Number);
  if (from < 1 || to < from) {
    return { problem: `lines is ${JSON.stringify(lines)}; accepted: the first and the last line, such as 1-200000.` };
  }
  const listed = (await files.list()).filter((file) => file.name === name);
  return withLargeFiles(listed, context, async () => {
    const file = await findFile(files, name);
    if ("problem" in file) return file;
    const text = openText(file.bytes);
    if ("binary" in text) return { problem: `${name} is ${text.binary}; lines are those of a text file.` };
    const { content, bytes, total } = await selectLines(text.parts, { from, to }, max);
    if (total < from) return { problem: `Line ${from} is beyond the end of ${name}: it has ${total} lines.` };
    if (bytes > max) {
      return { problem: `The lines have ${bytes} bytes; the sandbox accepts at most ${max}. Pass fewer lines.` };
    }
    const note = `The program got lines ${from} to ${Math.min(to, total)} of ${total} of ${name}.`;
    return { files: [{ name, content }], partial: name, note };
  });
}

/** Saves the changes of the program, except those to `partial`. Returns notes for the model. */
function saveResult({ written, deleted = [] }: SandboxResult, files: Files, partial?: string): Promise<string[]> {
  const isPartial = (name: string) => name === partial && "The program got only a part of it. Write to another name.";
  return saveChanges(
    files,
    written.map(({ name, content }) => ({
      name,
      size: content.length,
      problem: isPartial(name) || undefined,
      save: () => files.write(name, content),
    })),
    deleted.filter((name) => name !== partial),
  );
}

import { sandboxLimits } from "../../sandbox/limits.ts";
import type { Sandbox, SandboxEngine, SandboxFile, SandboxResult } from "../../sandbox/types.ts";
import type { ToolDefinition } from "../model.ts";
import { runJavascript, runShell } from "./definitions.ts";
import { fileLine, type Files, findFile, newNameProblem } from "./files.ts";
import { builtInTool, errorOutput, type Tool, type ToolContext, type ToolOutput } from "./tool.ts";

interface RunOptions {
  files?: string[];
  seconds?: number;
}

/** Unavailable without a sandbox. */
export function runJavascriptTool(sandbox: Sandbox | undefined): Tool {
  if (!sandbox) return withoutSandbox(runJavascript);
  return builtInTool(runJavascript, (input: { code: string } & RunOptions, context) =>
    runCode(sandbox, "javascript", input.code, input, context),
  );
}

/** Unavailable without a sandbox. */
export function runShellTool(sandbox: Sandbox | undefined): Tool {
  if (!sandbox) return withoutSandbox(runShell);
  return builtInTool(runShell, (input: { script: string } & RunOptions, context) =>
    runCode(sandbox, "shell", input.script, input, context),
  );
}

function withoutSandbox(definition: ToolDefinition): Tool {
  const unavailable = `${definition.name} is not available: this service runs without a sandbox for programs.`;
  return { definition, unavailable, run: async () => errorOutput(unavailable) };
}

async function runCode(
  sandbox: Sandbox,
  engine: SandboxEngine,
  program: string,
  { files: names, seconds = sandboxLimits.defaultSeconds }: RunOptions,
  { files, signal }: ToolContext,
): Promise<ToolOutput> {
  const input = await readInputFiles(files, names, sandbox.maxBytes);
  if ("problem" in input) return errorOutput(input.problem);
  const result = await sandbox.run({ engine, program, files: input.files, seconds }, signal);
  const notes = await files.update(() => saveWrittenFiles(result, files));
  return resultOutput(result, notes);
}

/** Reads the files for the sandbox, unless they are larger than `max` together. */
async function readInputFiles(
  files: Files,
  names: string[] | undefined,
  max: number,
): Promise<{ files: SandboxFile[] } | { problem: string }> {
  const listed = await files.list();
  const wanted = names === undefined ? listed : listed.filter(({ name }) => names.includes(name));
  const missing = names?.find((name) => !listed.some((file) => file.name === name));
  if (missing !== undefined) {
    const file = await findFile(files, missing);
    if ("problem" in file) return file;
  }
  const size = wanted.reduce((sum, file) => sum + file.size, 0);
  if (size > max) {
    const remedy =
      names === undefined ? "Name the files that the program needs in files." : "Run it on fewer files at a time.";
    return { problem: `The files have ${size} bytes together; the sandbox accepts at most ${max}. ${remedy}` };
  }
  const read = await Promise.all(wanted.map(async ({ name }) => ({ name, content: await files.read(name) })));
  return { files: read.flatMap(({ name, content }) => (content ? [{ name, content }] : [])) };
}

/** Copies the files that the program wrote into the workspace. Returns notes for the model. */
async function saveWrittenFiles({ written }: SandboxResult, files: Files): Promise<string[]> {
  if (written.length === 0) return [];
  const existing: { name: string }[] = await files.list();
  const saved: string[] = [];
  const problems: string[] = [];
  for (const { name, content } of written) {
    const problem = newNameProblem(name, existing);
    if (problem !== undefined) {
      problems.push(`${JSON.stringify(name)} was not saved. ${problem}`);
      continue;
    }
    await files.write(name, content);
    existing.push({ name });
    saved.push(fileLine({ name, size: content.length }));
  }
  return [...(saved.length > 0 ? [`Wrote ${saved.join(", ")}.`] : []), ...problems];
}

function resultOutput({ output, problem, notes }: SandboxResult, saveNotes: string[]): ToolOutput {
  const allNotes = [...notes, ...saveNotes].map((note) => `[${note}]`);
  const isSilent = output === "" && problem === undefined && allNotes.length === 0;
  const printed = isSilent ? "The program printed nothing." : output;
  const text = [printed, ...allNotes, problem].filter(Boolean).join("\n");
  return problem === undefined ? { text } : errorOutput(text);
}

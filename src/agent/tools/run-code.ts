import type { ToolDefinition } from "../model.ts";
import type { Sandbox, SandboxEngine, SandboxFile, SandboxResult } from "../../sandbox/types.ts";
import { sandboxLimits } from "../../sandbox/limits.ts";
import { runJavascript, runShell } from "./definitions.ts";
import { findFile } from "./find-file.ts";
import { fileLine } from "./list-files.ts";
import { withWriteLock } from "./write-lock.ts";
import { builtInTool, errorOutput, type Files, type Tool, type ToolContext, type ToolOutput } from "./tool.ts";
import { newNameProblem } from "./write-files.ts";

interface Choice {
  files?: string[];
  seconds?: number;
}

/** `run_javascript`; without a sandbox, one that can't work. */
export function runJavascriptTool(sandbox: Sandbox | undefined): Tool {
  if (!sandbox) return withoutSandbox(runJavascript);
  return builtInTool(runJavascript, (input: { code: string } & Choice, context) =>
    runCode(sandbox, "javascript", input.code, input, context),
  );
}

/** `run_shell`; without a sandbox, one that can't work. */
export function runShellTool(sandbox: Sandbox | undefined): Tool {
  if (!sandbox) return withoutSandbox(runShell);
  return builtInTool(runShell, (input: { script: string } & Choice, context) =>
    runCode(sandbox, "shell", input.script, input, context),
  );
}

function withoutSandbox(definition: ToolDefinition): Tool {
  const unavailable = `${definition.name} can't be used here: the service was set up without a sandbox for programs.`;
  return { definition, unavailable, run: async () => errorOutput(unavailable) };
}

async function runCode(
  sandbox: Sandbox,
  engine: SandboxEngine,
  program: string,
  { files: names, seconds = sandboxLimits.defaultSeconds }: Choice,
  { files, signal }: ToolContext,
): Promise<ToolOutput> {
  const given = await filesFor(files, names, sandbox.maxBytes);
  if ("problem" in given) return errorOutput(given.problem);
  const result = await sandbox.run({ engine, program, files: given.files, seconds }, signal);
  return outputOf(result, await withWriteLock(files, () => keep(result, files)));
}

/** The files that go into the sandbox. They are only read when they fit. */
async function filesFor(
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
    const how =
      names === undefined ? "Name those that the program needs in files." : "Run it for fewer files at a time.";
    return { problem: `The files have ${size} bytes together; at most ${max} go into the sandbox. ${how}` };
  }
  const read = await Promise.all(wanted.map(async ({ name }) => ({ name, content: await files.read(name) })));
  return { files: read.flatMap(({ name, content }) => (content ? [{ name, content }] : [])) };
}

/** Takes what the program wrote into the workspace. Sentences: what was written, and what could not be. */
async function keep({ written }: SandboxResult, files: Files): Promise<string[]> {
  if (written.length === 0) return [];
  const existing: { name: string }[] = await files.list();
  const done: string[] = [];
  const problems: string[] = [];
  for (const { name, content } of written) {
    const problem = newNameProblem(name, existing);
    if (problem !== undefined) {
      problems.push(`${JSON.stringify(name)} was not kept. ${problem}`);
      continue;
    }
    await files.write(name, content);
    existing.push({ name });
    done.push(fileLine({ name, size: content.length }));
  }
  return [...(done.length > 0 ? [`Wrote ${done.join(", ")}.`] : []), ...problems];
}

function outputOf({ output, problem, notes }: SandboxResult, kept: string[]): ToolOutput {
  const said = [...notes, ...kept].map((note) => `[${note}]`);
  const printed = output === "" && problem === undefined && said.length === 0 ? "The program printed nothing." : output;
  const text = [printed, ...said, problem].filter(Boolean).join("\n");
  return problem === undefined ? { text } : errorOutput(text);
}

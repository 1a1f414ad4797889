import type { ProgramSystem } from "./program-system.ts";
import type { Linux, LinuxProgram, LinuxResult, NoLinux, StoredFile } from "../../sandbox/linux/linux-types.ts";
import { runPythonDefinition, runShellDefinition } from "./program-definitions.ts";
import { encodingNotes } from "./files/encoding-notes.ts";
import { programOutput, saveChanges } from "./save-changes.ts";
import type { Files } from "./files/files.ts";
import { builtInTool, errorOutput, type Tool, type ToolContext, type ToolOutput } from "./tool.ts";

interface Limits {
  seconds?: number;
}

/** `run_python` in a real Linux, with the libraries of its environment. `defaultSeconds`: its time limit by default. */
export function linuxPythonTool(linux: Linux, defaultSeconds: number): Tool {
  const run = ({ code, seconds = defaultSeconds }: { code: string } & Limits, context: ToolContext) =>
    runInLinux(linux, { language: "python", text: code, seconds }, context);
  const definition = runPythonDefinition({ facts: linux.facts, defaultSeconds });
  return { ...builtInTool(definition, run, "run_python_linux"), system: systemOf(linux), runsPrograms: true };
}

/** Unavailable without a real Linux: scripts for a simulated shell give wrong results. */
export function runShellTool(linux: Linux | NoLinux | undefined, defaultSeconds: number): Tool {
  if (!linux || "unavailable" in linux) {
    const reason = linux?.unavailable ?? "This service has no Linux environment for programs.";
    const unavailable = `run_shell is not available. ${reason}`;
    return { definition: runShellDefinition(), unavailable, run: async () => errorOutput(unavailable) };
  }
  const run = ({ script, seconds = defaultSeconds }: { script: string } & Limits, context: ToolContext) =>
    runInLinux(linux, { language: "shell", text: script, seconds }, context);
  const tool = builtInTool(runShellDefinition({ facts: linux.facts, defaultSeconds }), run);
  return { ...tool, system: systemOf(linux), runsPrograms: true };
}

function systemOf({ facts }: Linux): ProgramSystem {
  return { kind: "linux", digest: facts.digest };
}

async function runInLinux(
  linux: Linux,
  { language, text, seconds }: Pick<LinuxProgram, "language" | "text" | "seconds">,
  { files, signal, onOutput }: ToolContext,
): Promise<ToolOutput> {
  const before = await files.stored();
  const encodings = await encodingNotes(text, before, (name) => files.read(name));
  const room = await files.room();
  const result = await linux.run({ language, text, files: before, seconds, room }, signal, onOutput);
  const notes = await files.update(() => saveResult(result, before, files));
  const name = language === "shell" ? "script" : "program";
  const failed =
    result.exitCode !== undefined && result.exitCode !== 0
      ? `The ${name} ended with exit code ${result.exitCode}.`
      : undefined;
  return programOutput(result.output, [...result.notes, ...encodings, ...notes], result.problem ?? failed);
}

/** `before`: the files that the program got. */
async function saveResult(
  { changed, deleted, isPartial = false, unused = [] }: LinuxResult,
  before: StoredFile[],
  files: Files,
): Promise<string[]> {
  files.release([...unused, ...changed.map(({ sha256 }) => sha256)]); // those that are adopted below stay
  if (changed.length === 0 && deleted.length === 0) return [];
  const [got, now] = [hashesOf(before), hashesOf(await files.stored())];
  const differs = (name: string) => got.get(name) !== now.get(name);
  const replaced = changed
    .filter(({ name, sha256, kind }) => kind !== "folder" && differs(name) && now.get(name) !== sha256)
    .map(({ name }) => name);
  const written = changed.map((file) => ({
    ...file,
    hasSameContent: got.get(file.name) === file.sha256 && file.kind !== "link",
    save: () => files.adopt(file),
  }));
  const notes = await saveChanges(
    files,
    written,
    deleted.filter((name) => !differs(name)),
    { isPartial, isOfProgram: true },
  );
  const others = deleted.filter((name) => differs(name) && now.has(name));
  if (replaced.length > 0)
    notes.push(`Another call changed them at the same time, and its content was replaced: ${replaced.join(", ")}.`);
  if (others.length > 0)
    notes.push(`Not deleted, because another call changed them at the same time: ${others.join(", ")}.`);
  return notes;
}

/** SHA-256 by name. */
function hashesOf(files: StoredFile[]): Map<string, string> {
  return new Map(files.map(({ name, sha256 }) => [name, sha256]));
}

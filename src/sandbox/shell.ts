import { Bash, type IFileSystem } from "just-bash";
import { type Engine, limitWrittenFiles, sameContent } from "./engine.ts";
import { sandboxLimits } from "./limits.ts";
import { describeExceededLimit, executionLimits, withoutAdvice } from "./shell-limits.ts";
import { sqlite3 } from "./sqlite-command.ts";
import { date, iconv } from "./text-commands.ts";
import type { SandboxFile } from "./types.ts";
import { unzip, zip } from "./zip-commands.ts";

const workingDirectory = "/work";
/** Characters of the standard error that are returned. */
const errorCharacters = 10_000;

/** A simulated shell with Python in WebAssembly. Always dirty: its threads end with the process. */
export const loadShell = async (): Promise<Engine> => runShell;

const runShell: Engine = async ({ program, files, seconds }) => {
  const bash = new Bash({
    files: Object.fromEntries(files.map(({ name, content }) => [`${workingDirectory}/${name}`, content])),
    cwd: workingDirectory,
    env: { HOME: workingDirectory, _: "/bin/bash" },
    python: true,
    customCommands: [unzip, zip, iconv, date, sqlite3],
    executionLimitProfile: "hardened",
    executionLimits: executionLimits(seconds),
  });
  // It has no content here: `head -c 1000 /dev/zero` would print nothing and succeed.
  await bash.fs.rm("/dev/zero", { force: true });
  const startedAt = Date.now();
  const { stdout, stderr, exitCode } = await bash.exec(program);
  const { output, notes } = limitOutput(stdout, stderr);
  const timedOut = exitCode !== 0 && Date.now() - startedAt >= seconds * 1000;
  const exceeded = timedOut ? `The script was stopped after ${seconds} seconds.` : describeExceededLimit();
  if (exceeded !== undefined) {
    return { output, problem: `${exceeded} No files were saved.`, written: [], notes, dirty: true };
  }
  const { changed, nested } = await changedFiles(bash.fs, files);
  const saved = limitWrittenFiles(changed);
  notes.push(...saved.notes);
  if (nested.length > 0) {
    notes.push(`Not saved, because the workspace has no folders: ${nested.slice(0, 20).join(", ")}.`);
  }
  const remaining = new Set(bash.fs.getAllPaths());
  const removed = files.map(({ name }) => name).filter((name) => !remaining.has(`${workingDirectory}/${name}`));
  if (removed.length > 0)
    notes.push(`Deleted by the script, but still in the workspace: ${removed.slice(0, 20).join(", ")}.`);
  const problem = `The script ended with exit code ${exitCode}.`;
  return { output, written: saved.written, notes, dirty: true, ...(exitCode !== 0 && { problem }) };
};

/** The end of each stream is dropped. The standard error comes last, because it says what went wrong. */
function limitOutput(stdout: string, stderr: string): { output: string; notes: string[] } {
  const texts = [stdout, withoutAdvice(stderr)].map((text) => text.trimEnd());
  const errors = texts[1]?.slice(0, errorCharacters) ?? "";
  const printed = texts[0]?.slice(0, sandboxLimits.outputCharacters - errors.length) ?? "";
  const characters = texts.join("").length;
  const output = [printed, errors].filter((text) => text !== "").join("\n");
  if (characters === printed.length + errors.length) return { output, notes: [] };
  const note =
    `The output is cut: the script printed ${characters} characters, and at most ` +
    `${sandboxLimits.outputCharacters} are returned. Write the result to a file, or print less.`;
  return { output, notes: [note] };
}

/** New and changed files of the working directory. `nested`: the paths of files in folders, which cannot be saved. */
async function changedFiles(
  fs: IFileSystem,
  files: SandboxFile[],
): Promise<{ changed: SandboxFile[]; nested: string[] }> {
  const original = new Map(files.map(({ name, content }) => [name, content]));
  const changed: SandboxFile[] = [];
  const nested: string[] = [];
  for (const path of fs.getAllPaths().filter((each) => each.startsWith(`${workingDirectory}/`))) {
    const name = path.slice(workingDirectory.length + 1);
    if (!(await fs.lstat(path)).isFile) continue;
    if (name.includes("/")) {
      nested.push(name);
      continue;
    }
    const content = await fs.readFileBuffer(path);
    if (!sameContent(original.get(name), content)) changed.push({ name, content });
  }
  return { changed, nested };
}

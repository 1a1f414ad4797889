import { Bash, type IFileSystem } from "just-bash";
import { sandboxLimits } from "./limits.ts";
import { type Engine, limitWrittenFiles, sameContent } from "./engine.ts";
import type { SandboxFile } from "./types.ts";

const workingDirectory = "/work";

/** A simulated shell with Python in WebAssembly. Always dirty: its threads end with the process. */
export const loadShell = async (): Promise<Engine> => runShell;

const runShell: Engine = async ({ program, files, seconds }) => {
  const milliseconds = seconds * 1000;
  const bash = new Bash({
    files: Object.fromEntries(files.map(({ name, content }) => [`${workingDirectory}/${name}`, content])),
    cwd: workingDirectory,
    env: { HOME: workingDirectory, _: "/bin/bash" },
    python: true,
    executionLimitProfile: "hardened",
    executionLimits: {
      maxExecutionTimeMs: milliseconds,
      maxPythonTimeoutMs: milliseconds,
      maxSqliteTimeoutMs: milliseconds,
      // The time limit stops endless loops. Lower limits would stop a script that reads a long table line by line.
      maxCommandCount: 5_000_000,
      maxLoopIterations: 5_000_000,
      maxAwkIterations: 5_000_000,
      maxSedIterations: 5_000_000,
      maxWorkUnits: 50_000_000,
      maxOutputSize: sandboxLimits.outputCharacters,
      maxFileSystemBytes: 2 * sandboxLimits.filesBytes,
    },
  });
  const startedAt = Date.now();
  const { stdout, stderr, exitCode } = await bash.exec(program);
  const output = [stdout, stderr].map((text) => text.trimEnd()).filter((text) => text !== "");
  const { changed, nested } = await changedFiles(bash.fs, files);
  const { written, notes } = limitWrittenFiles(changed);
  if (nested.length > 0) {
    notes.push(`Not saved, because the workspace has no folders: ${nested.slice(0, 20).join(", ")}.`);
  }
  const remaining = new Set(bash.fs.getAllPaths());
  const removed = files.map(({ name }) => name).filter((name) => !remaining.has(`${workingDirectory}/${name}`));
  if (removed.length > 0)
    notes.push(`Deleted by the script, but still in the workspace: ${removed.slice(0, 20).join(", ")}.`);
  const timedOut = Date.now() - startedAt >= milliseconds;
  const problem = timedOut
    ? `The script was stopped after ${seconds} seconds.`
    : `The script ended with exit code ${exitCode}.`;
  return { output: output.join("\n"), written, notes, dirty: true, ...(exitCode !== 0 && { problem }) };
};

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

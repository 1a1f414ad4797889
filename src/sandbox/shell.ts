import { Bash, type IFileSystem } from "just-bash";
import { sandboxLimits } from "./limits.ts";
import { type Engine, limitWrittenFiles, sameContent } from "./engine.ts";
import type { SandboxFile } from "./types.ts";

const home = "/work";

/** A shell simulated in this process, with Python in WebAssembly. What runs in it is over when the process ends. */
export const loadShell = async (): Promise<Engine> => runShell;

const runShell: Engine = async ({ program, files, seconds }) => {
  const milliseconds = seconds * 1000;
  const bash = new Bash({
    files: Object.fromEntries(files.map(({ name, content }) => [`${home}/${name}`, content])),
    cwd: home,
    env: { HOME: home, _: "/bin/bash" },
    python: true,
    executionLimitProfile: "hardened",
    executionLimits: {
      maxExecutionTimeMs: milliseconds,
      maxPythonTimeoutMs: milliseconds,
      maxSqliteTimeoutMs: milliseconds,
      // The clock is what ends a loop; these would end a script that reads a long table line by line.
      maxCommandCount: 5_000_000,
      maxLoopIterations: 5_000_000,
      maxAwkIterations: 5_000_000,
      maxSedIterations: 5_000_000,
      maxWorkUnits: 50_000_000,
      maxOutputSize: sandboxLimits.outputCharacters,
      maxFileSystemBytes: 2 * sandboxLimits.filesBytes,
    },
  });
  const begun = Date.now();
  const { stdout, stderr, exitCode } = await bash.exec(program);
  const output = [stdout, stderr].map((text) => text.trimEnd()).filter((text) => text !== "");
  const { kept, nested } = await written(bash.fs, files);
  const { written: within, notes } = limitWrittenFiles(kept);
  if (nested.length > 0) {
    notes.push(`Not kept, as the workspace has no folders: ${nested.slice(0, 20).join(", ")}.`);
  }
  const remaining = new Set(bash.fs.getAllPaths());
  const removed = files.map(({ name }) => name).filter((name) => !remaining.has(`${home}/${name}`));
  if (removed.length > 0) notes.push(`Still in the workspace: ${removed.slice(0, 20).join(", ")}.`);
  const late = Date.now() - begun >= milliseconds;
  const problem = late
    ? `The script was ended after ${seconds} seconds.`
    : `The script ended with exit code ${exitCode}.`;
  return { output: output.join("\n"), written: within, notes, dirty: true, ...(exitCode !== 0 && { problem }) };
};

/** New and changed files of the working directory, and the paths of those in folders, which can't be kept. */
async function written(fs: IFileSystem, files: SandboxFile[]): Promise<{ kept: SandboxFile[]; nested: string[] }> {
  const original = new Map(files.map(({ name, content }) => [name, content]));
  const kept: SandboxFile[] = [];
  const nested: string[] = [];
  for (const path of fs.getAllPaths().filter((each) => each.startsWith(`${home}/`))) {
    const name = path.slice(home.length + 1);
    if (!(await fs.lstat(path)).isFile) continue;
    if (name.includes("/")) {
      nested.push(name);
      continue;
    }
    const content = await fs.readFileBuffer(path);
    if (!sameContent(original.get(name), content)) kept.push({ name, content });
  }
  return { kept, nested };
}

import { readFile } from "node:fs/promises";
import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";
import { filesChangedBy } from "./changed-files.ts";
import { type CPython, type CPythonHost, createCPython } from "./cpython.ts";
import { type Engine, type EngineResult, limitWrittenFiles } from "./engine.ts";
import { sandboxLimits } from "./program-limits.ts";
import type { SandboxRequest } from "./sandbox-types.ts";

const workingDirectory = "/work";
const programPath = "/program.py";
const libraryPath = "/lib/python313.zip";

/** The whole environment of a program. Output is not buffered, so that both streams are in the order of writing. */
const environment: CPython["ENV"] = {
  PYTHONHOME: "/",
  PYTHONPATH: `${libraryPath}:${workingDirectory}`,
  PYTHONUNBUFFERED: "1",
  PYTHONUTF8: "1",
  PYTHONDONTWRITEBYTECODE: "1",
  HOME: "/tmp",
  LANG: "C.UTF-8",
  TZ: "UTC",
  PATH: undefined,
  PWD: undefined,
  USER: undefined,
  LOGNAME: undefined,
  _: undefined,
};

/** Ends a program. The message completes the sentence "The program was stopped". */
class Stopped extends Error {}

/**
 * CPython 3.13 in WebAssembly with its standard library, as the package just-bash has it. Nothing else of that package is
 * used. Always dirty: the next program gets a new process.
 */
export async function loadPython(): Promise<Engine> {
  const packageFile = findPackageJSON("just-bash", import.meta.url);
  if (packageFile === undefined) throw new Error("the package just-bash, which has Python, is not installed");
  const folder = join(dirname(packageFile), "vendor/cpython-emscripten");
  const host = programHost();
  const [python, library] = await Promise.all([
    createCPython(folder, host, environment),
    readFile(join(folder, "python313.zip")),
  ]);
  python.FS.mkdirTree(dirname(libraryPath));
  python.FS.writeFile(libraryPath, library);
  python.FS.mkdirTree(workingDirectory);
  return async (request) => {
    for (const { name, content } of request.files) {
      const path = `${workingDirectory}/${name}`;
      python.FS.mkdirTree(dirname(path));
      python.FS.writeFile(path, content);
    }
    python.FS.writeFile(programPath, request.program);
    python.FS.chdir(workingDirectory);
    return runProgram(python, host, request);
  };
}

function runProgram(python: CPython, host: ReturnType<typeof programHost>, request: SandboxRequest): EngineResult {
  host.start(request.seconds);
  let exitCode: number;
  try {
    exitCode = python.callMain([programPath]);
  } catch (error) {
    const problem = `The program was stopped${reasonOf(error)}. No files were saved.`;
    return { output: host.output(), problem, written: [], notes: [], dirty: true };
  } finally {
    process.exitCode = 0; // Emscripten sets that of this process
  }
  const { written, deleted, links, deep } = filesChangedBy(python.FS, workingDirectory, request.files);
  const { written: saved, notes } = limitWrittenFiles(written);
  if (links.length > 0) notes.push(`Not saved, because they are links or no files: ${links.slice(0, 20).join(", ")}.`);
  if (deep > 0) notes.push(`Not saved, because their paths are too long: ${deep} files or folders.`);
  const lost = saved.length < written.length || links.length > 0 || deep > 0;
  if (lost && deleted.length > 0) {
    notes.push(`Not deleted, because other files could not be saved: ${deleted.slice(0, 20).join(", ")}.`);
  }
  return {
    output: host.output(),
    written: saved,
    ...(!lost && deleted.length > 0 && { deleted }),
    notes,
    dirty: true,
    ...(exitCode !== 0 && { problem: `The program ended with exit code ${exitCode}.` }),
  };
}

/** Completes the sentence "The program was stopped". */
function reasonOf(error: unknown): string {
  if (error instanceof Stopped) return error.message;
  const text = error instanceof Error ? error.message : String(error);
  // The messages of V8 for a full stack of its own and of WebAssembly.
  if (/call stack|out of bounds/.test(text)) return ": its calls or data are nested too deeply";
  return text.startsWith("Aborted") ? ": Python aborted" : `: ${text}`;
}

/** The host's state of one program: its deadline and what it printed. */
function programHost() {
  let deadline = Infinity;
  let seconds = 0;
  const printed: Uint8Array[] = [];
  let bytes = 0;
  const host: CPythonHost = {
    check() {
      if (Date.now() > deadline) throw new Stopped(` after ${seconds} seconds`);
    },
    print(chunk) {
      host.check();
      printed.push(chunk);
      bytes += chunk.length;
      if (bytes <= sandboxLimits.outputCharacters) return;
      throw new Stopped(`: it printed more than ${sandboxLimits.outputCharacters} bytes`);
    },
  };
  return {
    ...host,
    start(limit: number): void {
      seconds = limit;
      deadline = Date.now() + limit * 1000;
    },
    output: () => Buffer.concat(printed).toString("utf8", 0, Math.min(bytes, sandboxLimits.outputCharacters)),
  };
}

import { sandboxLimits } from "../../sandbox/program-limits.ts";
import { programSeconds } from "../../sandbox/linux/linux-limits.ts";
import type { EnvironmentFacts } from "../../sandbox/linux/linux-types.ts";
import type { ToolDefinition } from "../model.ts";

const fileNames = {
  type: "array",
  items: { type: "string" },
  description:
    "Names of the workspace files that the program needs. Default: all files. " +
    `At most ${sandboxLimits.filesBytes} bytes together.`,
};

const lines = {
  type: "string",
  description:
    "Lines of the text file that files names, such as 1-200000: the program gets only these, as UTF-8. For a file that is " +
    "too large. Default: all lines.",
};

const seconds = (limits: { defaultSeconds: number; maxSeconds: number }) => ({
  type: "integer",
  minimum: 1,
  maximum: limits.maxSeconds,
  description: `Time limit of the program in seconds. Default: ${limits.defaultSeconds}.`,
});

const sandboxRules =
  `At most ${sandboxLimits.writtenFiles} written files are saved. A program that prints more than ` +
  `${sandboxLimits.outputCharacters} characters is stopped. There is no network. State other than files is not kept ` +
  "between calls.";

export const runJavascript: ToolDefinition = {
  name: "run_javascript",
  description:
    "Run a JavaScript program on the workspace's files. Returns what it prints with console.log and the value of its " +
    "last expression. ES2024, with await at the top level. Functions, all synchronous: readFile(name) returns a " +
    "string, readBytes(name) a Uint8Array, listFiles() [{name, size}]; writeFile(name, textOrBytes) writes a file of " +
    "the workspace; parseCsv(text, separator) returns one object per row, with the names of the first row and string " +
    "values. It has TextDecoder, TextEncoder, URL, URLSearchParams, structuredClone, atob, btoa, Intl.NumberFormat and " +
    "Intl.DateTimeFormat. No modules, no timers, no crypto, no other parts of Intl, 256 MB of memory. " +
    sandboxRules,
  input: {
    type: "object",
    properties: {
      code: { type: "string", description: "JavaScript program." },
      files: fileNames,
      lines,
      seconds: seconds(sandboxLimits),
    },
    required: ["code"],
    additionalProperties: false,
  },
};

const pythonCode = { type: "string", description: "Python program." };

/** What `python.wasm` lacks of the standard library. A test compares it with what a program finds. */
export const missingPythonModules: string[] = [
  "asyncio.run",
  "ctypes",
  "curses",
  "fcntl",
  "lzma",
  "multiprocessing",
  "readline",
  "resource",
  "socket",
  "sqlite3",
  "ssl",
  "subprocess",
  "threading.Thread",
  "tkinter",
  "zoneinfo",
];

const webAssemblyPython: ToolDefinition = {
  name: "run_python",
  description:
    "Run a Python program on the workspace's files, which are in its working directory, with their folders. Returns " +
    "what it prints, also to stderr. Files that it writes, changes or deletes in its working directory are saved to the " +
    "workspace. Python 3.13 in WebAssembly with its standard library only: no numpy, pandas, openpyxl, yaml or other " +
    `packages, no pip. Missing, too: ${missingPythonModules.join(", ")}. input() gets the end of the file. The time zone ` +
    `is UTC. ${sandboxLimits.pythonMegabytes} MB of memory. ${sandboxRules}`,
  input: {
    type: "object",
    properties: { code: pythonCode, files: fileNames, lines, seconds: seconds(sandboxLimits) },
    required: ["code"],
    additionalProperties: false,
  },
};

const linuxSeconds = (defaultSeconds: number) => seconds({ ...programSeconds, defaultSeconds });

const linuxPythonInput = (defaultSeconds: number) => ({
  type: "object",
  properties: { code: pythonCode, seconds: linuxSeconds(defaultSeconds) },
  required: ["code"],
  additionalProperties: false,
});

const shellInput = (defaultSeconds: number) => ({
  type: "object",
  properties: { script: { type: "string", description: "Bash script." }, seconds: linuxSeconds(defaultSeconds) },
  required: ["script"],
  additionalProperties: false,
});

/** What programs run in, and their time limit in seconds unless the model sets one. */
interface LinuxPrograms {
  facts: EnvironmentFacts;
  defaultSeconds: number;
}

/** The definition of `run_python`. `linux`: the Linux environment in which programs run. Absent: WebAssembly. */
export function runPythonDefinition(linux?: LinuxPrograms): ToolDefinition {
  if (!linux) return webAssemblyPython;
  return onceFor(pythonDefinitions, linux, ({ facts, defaultSeconds }) => {
    const description = `Run a Python program in Linux (${facts.system}). ${pythonOf(facts)} ${linuxRules}`;
    return { name: "run_python", description, input: linuxPythonInput(defaultSeconds) };
  });
}

/** The definition of `run_shell`. `linux`: the Linux environment in which scripts run. Absent: there is none. */
export function runShellDefinition(linux?: LinuxPrograms): ToolDefinition {
  if (!linux) {
    const input = shellInput(programSeconds.defaultSeconds);
    return { name: "run_shell", description: "Run a bash script in Linux.", input };
  }
  return onceFor(shellDefinitions, linux, ({ facts, defaultSeconds }) => {
    const found = `Programs: ${versions(facts.programs)}.${mawkNote(facts)} ${pythonOf(facts)}`;
    return {
      name: "run_shell",
      description: `Run a bash script in Linux (${facts.system}). ${found} ${linuxRules}`,
      input: shellInput(defaultSeconds),
    };
  });
}

/** By environment, then by the default of seconds: a process has one. */
type Definitions = WeakMap<EnvironmentFacts, Map<number, ToolDefinition>>;
const pythonDefinitions: Definitions = new WeakMap();
const shellDefinitions: Definitions = new WeakMap();

/** Every turn with a program needs the definition. */
function onceFor(
  made: Definitions,
  linux: LinuxPrograms,
  make: (linux: LinuxPrograms) => ToolDefinition,
): ToolDefinition {
  const ofFacts = made.get(linux.facts) ?? new Map<number, ToolDefinition>();
  made.set(linux.facts, ofFacts);
  const definition = ofFacts.get(linux.defaultSeconds) ?? make(linux);
  ofFacts.set(linux.defaultSeconds, definition);
  return definition;
}

/** The input schemas of a tool's other definitions, by the name of the validator. */
export const furtherInputs: Record<string, object> = {
  run_python_linux: linuxPythonInput(programSeconds.defaultSeconds),
};

function pythonOf({ python: { version, libraries } }: EnvironmentFacts): string {
  const names = versions(libraries);
  return names === "" ? `Python ${version}.` : `Python ${version} with ${names}.`;
}

/** mawk 1.3.4, the awk of a Debian without gawk, prints each larger integer as 2147483647 and exits with 0. */
function mawkNote({ programs }: EnvironmentFacts): string {
  return programs["mawk"] === undefined ? "" : ' awk is mawk: print integers above 2147483647 with "%.0f", not "%d".';
}

function versions(byName: Record<string, string>): string {
  return Object.entries(byName)
    .map(([name, version]) => `${name} ${version}`)
    .join(", ");
}

const linuxRules =
  "The workspace's files are in the working directory, with their folders. Files that the program writes, changes or " +
  "deletes there are saved to the workspace. Returns what it prints, also to stderr; of a long output, the beginning and the " +
  "end, and all of it is saved to a file. There is no network, and no package can be installed. Nothing but the workspace is kept " +
  "between calls: no processes, variables or files in other folders.";

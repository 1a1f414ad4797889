import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { setImmediate } from "node:timers/promises";
import { EvalFlags, type JSValueHandle, QuickJS, type QuickJSOptions } from "quickjs-wasi";
import { sandboxLimits } from "./program-limits.ts";
import { filenameProblem } from "../filenames.ts";
import { decodeText } from "../documents/encoding/decode-text.ts";
import { type Engine, type EngineResult, limitWrittenFiles, sameContent } from "./engine.ts";
import { prelude } from "./prelude.ts";
import { roundedIntegers } from "./rounded-integers.ts";
import type { SandboxFile, SandboxRequest } from "./sandbox-types.ts";
import { webApis, webHost } from "./web-apis.ts";

const memoryBytes = 256 * 1024 * 1024;
/** A process with more resident memory than this is not used again. A new one has 70 MB. */
const maxCleanBytes = 160 * 1024 * 1024;

type Wasm = QuickJSOptions["wasm"];
// Node has it, but TypeScript's types for Node have only its name.
const wasm = (globalThis as unknown as { WebAssembly: { compile(bytes: Uint8Array): Promise<Wasm> } }).WebAssembly;

/**
 * QuickJS in WebAssembly. Each program gets a new virtual machine. It is created after the result of the program before,
 * so that no request waits for it.
 */
export async function loadJavascript(): Promise<Engine> {
  const file = createRequire(import.meta.url).resolve("quickjs-wasi/quickjs.wasm");
  const compiled = await wasm.compile(await readFile(file));
  let next = await newMachine(compiled);
  let created: Promise<void> = Promise.resolve();
  return async (request) => {
    await created;
    const machine = next;
    try {
      return machine.run(request);
    } finally {
      created = setImmediate().then(async () => {
        if (process.memoryUsage.rss() > maxCleanBytes / 2) globalThis.gc?.(); // frees the machines of earlier programs
        next = await newMachine(compiled);
      });
      created.catch(() => {}); // the next request handles the rejection
    }
  };
}

async function newMachine(compiled: Wasm): Promise<{ run(request: SandboxRequest): EngineResult }> {
  let program = newProgram({ engine: "javascript", program: "", files: [], seconds: sandboxLimits.maxSeconds });
  const vm = await QuickJS.create({
    wasm: compiled,
    memoryLimit: memoryBytes,
    timezoneOffset: 0,
    interruptHandler: () => program.stopped() !== undefined,
  });
  using functions = vm.newObject();
  for (const [name, run] of Object.entries(hostFunctions(vm, () => program))) {
    using handle = vm.newFunction(name, (...args) => run(...args) ?? vm.undefined);
    vm.setProp(functions, name, handle);
  }
  using install = vm.evalCode(prelude, "prelude.js");
  using installWeb = vm.evalCode(webApis, "web-apis.js");
  vm.callFunction(installWeb, vm.undefined, functions).dispose();
  const show = vm.callFunction(install, vm.undefined, functions);

  function execute(source: string): string | undefined {
    try {
      using promise = vm.evalCode(source, "program.js", EvalFlags.ASYNC);
      vm.callFunction(show, vm.undefined, promise).dispose();
      vm.executePendingJobs();
      return program.problem();
    } catch (error) {
      return describeError(error);
    }
  }

  return {
    run(request) {
      program = newProgram(request);
      const problem = execute(request.program);
      const stopped = program.stopped();
      const failure = stopped === undefined ? problem : `${stopped} No files were saved.`;
      const dirty = stopped !== undefined || process.memoryUsage.rss() > maxCleanBytes;
      const { written, notes } = limitWrittenFiles(stopped === undefined ? program.written() : []);
      return {
        output: program.output(),
        written,
        notes: [...program.rounded.notes(), ...notes],
        ...(failure !== undefined && { problem: failure }),
        ...(dirty && { dirty }),
      };
    },
  };
}

type HostFunctions = Record<string, (...args: (JSValueHandle | undefined)[]) => JSValueHandle | undefined>;

/** What programs call in this process. `program`: the one that runs. */
function hostFunctions(vm: QuickJS, program: () => ReturnType<typeof newProgram>): HostFunctions {
  const host: HostFunctions = {
    print: (line) => program().print(String(line)),
    end: (problem) => program().end(String(problem)),
    list: () => vm.hostToHandle(program().list()),
    text: (name) => vm.newString(program().text(String(name))),
    bytes: (name) => vm.newUint8Array(program().bytes(String(name))),
    parsed: (json) => program().rounded.add(String(json)),
    write: (name, content) => {
      program().write(
        String(name),
        content?.isString ? Buffer.from(content.toString()) : Uint8Array.from(content?.toUint8Array() ?? []),
      );
      return undefined;
    },
  };
  const web: HostFunctions = {
    decode: (bytes, label, fatal) =>
      vm.newString(
        webHost.decode(bytes?.toUint8Array() ?? new Uint8Array(), String(label), fatal?.toBoolean() === true),
      ),
    encode: (content) => vm.newUint8Array(webHost.encode(String(content))),
    url: (address, base, name, value) =>
      vm.newString(webHost.url(String(address), optionalText(base), optionalText(name), String(value))),
    format: (kind, input) => vm.newString(webHost.format(String(kind), String(input))),
  };
  return { ...host, ...web };
}

function optionalText(handle: JSValueHandle | undefined): string | undefined {
  return handle === undefined || handle.isUndefined ? undefined : String(handle);
}

/** The host's state of one program. Errors are thrown in the program. */
function newProgram({ files, seconds }: SandboxRequest) {
  const deadline = Date.now() + seconds * 1000;
  const original = new Map(files.map(({ name, content }) => [name, content]));
  const workspace = new Map(original);
  const printed: string[] = [];
  let charactersLeft = sandboxLimits.outputCharacters;
  let ended: string | undefined;

  const bytes = (name: string): Uint8Array => {
    const found = workspace.get(name);
    if (found) return found;
    const names = [...workspace.keys()].slice(0, 50).map((each) => JSON.stringify(each));
    throw new Error(`There is no file ${JSON.stringify(name)}. Files: ${names.join(", ") || "none"}.`);
  };
  return {
    rounded: roundedIntegers(),
    bytes,
    text(name: string): string {
      const content = decodeText(bytes(name));
      if ("text" in content) return content.text;
      throw new Error(`${name} is ${content.binary}; use readBytes.`);
    },
    list: () => [...workspace].map(([name, content]) => ({ name, size: content.length })),
    write(name: string, content: Uint8Array): void {
      const wrong = filenameProblem(name);
      if (wrong !== undefined) throw new Error(wrong);
      workspace.set(name, content);
      const size = [...workspace.values()].reduce((sum, each) => sum + each.length, 0);
      if (size <= 2 * sandboxLimits.filesBytes) return;
      workspace.delete(name);
      throw new Error(`All files together have ${size} bytes; at most ${2 * sandboxLimits.filesBytes} are accepted.`);
    },
    written: (): SandboxFile[] =>
      [...workspace]
        .filter(([name, content]) => !sameContent(original.get(name), content))
        .map(([name, content]) => ({ name, content })),
    print(line: string): undefined {
      if (charactersLeft < 0) return;
      printed.push(line.slice(0, charactersLeft));
      charactersLeft -= line.length + 1;
    },
    output: () => printed.join("\n"),
    end(problem: string): undefined {
      ended = problem;
    },
    /** Why the program failed. */
    problem(): string | undefined {
      return ended === undefined
        ? "The program waits for a promise that never settles. There are no timers and no network."
        : ended || undefined;
    },
    /** Why the program must stop. */
    stopped(): string | undefined {
      if (charactersLeft < 0)
        return `The program was stopped: it printed more than ${sandboxLimits.outputCharacters} characters.`;
      return Date.now() > deadline ? `The program was stopped after ${seconds} seconds.` : undefined;
    },
  };
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { name, message, stack = "" } = error;
  const place = /program\.js:\d+(:\d+)?/.exec(stack)?.[0];
  return `${name}: ${message}${place ? ` (${place})` : ""}`;
}

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";

/** What `python.cjs` returns: CPython that was compiled with Emscripten, before its program runs. */
export interface CPython {
  FS: FileSystem;
  /** Variables of the program. Those that Emscripten sets by itself are removed by undefined. */
  ENV: Record<string, string | undefined>;
  /** Runs `python3 …arguments`. Returns the exit code. Throws what a host function throws. Can be called once. */
  callMain(programArguments: string[]): number;
}

/** The part that is used of Emscripten's file system. It is in the memory of this process. */
export interface FileSystem {
  chdir(path: string): void;
  mkdirTree(path: string): void;
  writeFile(path: string, content: Uint8Array | string): void;
  lookupPath(path: string): { node: Node };
  isFile(mode: number): boolean;
  isDir(mode: number): boolean;
  makedev(major: number, minor: number): number;
  registerDevice(device: number, operations: object): void;
  mkdev(path: string, device: number): void;
  open(path: string, flags: number): object;
  /** Called before the program starts. */
  createStandardStreams(): void;
  filesystems: { MEMFS: MemoryFileSystem };
  ErrnoError: new (errno: number) => Error;
}

/** A file or folder. `contents`: bytes, of which `usedBytes` are used, or the folder's nodes by name. Null: empty file. */
export interface Node {
  mode: number;
  usedBytes?: number;
  contents?: Uint8Array | Int8Array | Record<string, Node> | null;
}

interface MemoryFileSystem {
  createNode: (parent: Node | null, name: string, mode: number, device: number) => Node;
  expandFileStorage: (node: Node, bytes: number) => void;
  resizeFileStorage: (node: Node, bytes: number) => void;
}

/** The host's part of a program. What `check` and `print` throw ends the program, which cannot catch it. */
export interface CPythonHost {
  /** Called often while Python code runs, and when it reads a clock. */
  check(): void;
  print(bytes: Uint8Array): void;
}

// Node has it, but TypeScript's types for Node have only its name.
const wasm = (globalThis as unknown as { WebAssembly: WebAssemblyApi }).WebAssembly;
interface WebAssemblyApi {
  compile(bytes: Uint8Array): Promise<object>;
  Instance: new (module: object, imports: Imports) => { exports: Exports };
}
type Imports = Record<string, Record<string, (...args: never[]) => unknown>>;
type Exports = { memory: { buffer: ArrayBuffer }; Py_EMSCRIPTEN_SIGNAL_HANDLING: { value: number } };

/** Error numbers of Emscripten's C library. */
const errno = { noAddressFamily: 5, fileTooLarge: 22 };
/** Bytes of one file. All together are limited by the memory of the process. */
const maxFileBytes = 128 * 1024 * 1024;
/** Of `getaddrinfo`: the name is not known. */
const unknownName = -2;

const networkCalls = ["socket", "connect", "bind", "listen", "accept4", "sendto", "sendmsg", "recvfrom", "recvmsg"];

/** Loads CPython from the folder with `python.cjs` and `python.wasm`. It has no network, and sees no files of the host. */
export async function createCPython(folder: string, host: CPythonHost, environment: CPython["ENV"]): Promise<CPython> {
  const create = createRequire(import.meta.url)(join(folder, "python.cjs")) as (options: object) => Promise<CPython>;
  const module = await wasm.compile(await readFile(join(folder, "python.wasm")));
  return create({
    noInitialRun: true,
    thisProgram: "python3",
    instantiateWasm(imports: Imports, done: (instance: object, module: object) => void) {
      const bytes = (): Uint8Array => new Uint8Array(instance.exports.memory.buffer);
      const instance = new wasm.Instance(module, restricted(imports, host, bytes));
      // Python then calls the helper that `restricted` replaces.
      bytes()[instance.exports.Py_EMSCRIPTEN_SIGNAL_HANDLING.value] = 1;
      done(instance, module);
    },
    preRun: [
      ({ FS, ENV }: CPython) => {
        prepareFileSystem(FS, host);
        Object.assign(ENV, environment); // read when the runtime starts
      },
    ],
  });
}

/** The imports of `python.wasm` without network and processes. Emscripten would connect by WebSocket. */
function restricted({ env = {}, ...others }: Imports, host: CPythonHost, memory: () => Uint8Array): Imports {
  const refused = networkCalls.map((name) => [`__syscall_${name}`, () => -errno.noAddressFamily]);
  const now = env["emscripten_get_now"] as () => number;
  const setTimeZone = env["_tzset_js"] as (...addresses: number[]) => void;
  return {
    ...others,
    env: {
      ...env,
      ...Object.fromEntries(refused),
      getaddrinfo: () => unknownName,
      getnameinfo: () => unknownName,
      _emscripten_lookup_name: () => 0,
      _emscripten_system: () => -1,
      _setitimer_js: () => 0,
      _tzset_js(zone: number, daylight: number, standardName: number, daylightName: number) {
        setTimeZone(zone, daylight, standardName, daylightName); // names it UTC-0000
        for (const address of [standardName, daylightName]) memory().set(Buffer.from("UTC\0"), address);
      },
      _Py_CheckEmscriptenSignals_Helper() {
        host.check();
        return 0;
      },
      emscripten_get_now() {
        host.check(); // time.sleep waits in a loop
        return now();
      },
    },
  };
}

function prepareFileSystem(FS: FileSystem, host: CPythonHost): void {
  const { MEMFS } = FS.filesystems;
  const { createNode, expandFileStorage, resizeFileStorage } = MEMFS;
  const requireSize = (bytes: number) => {
    if (bytes > maxFileBytes) throw new FS.ErrnoError(errno.fileTooLarge);
  };
  Object.assign(MEMFS, {
    createNode(...args: Parameters<MemoryFileSystem["createNode"]>) {
      const node = createNode(...args);
      if (FS.isDir(node.mode)) node.contents = Object.create(null) as Record<string, Node>; // a file can be named __proto__
      return node;
    },
    expandFileStorage(node: Node, bytes: number) {
      requireSize(bytes);
      expandFileStorage(node, bytes);
    },
    resizeFileStorage(node: Node, bytes: number) {
      requireSize(bytes);
      resizeFileStorage(node, bytes);
    },
  });
  // Emscripten's own pass on byte after byte.
  const device = FS.makedev(64, 0);
  FS.registerDevice(device, {
    read: () => 0,
    write(_stream: object, heap: Int8Array, offset: number, length: number) {
      host.print(new Uint8Array(heap.buffer, heap.byteOffset + offset, length).slice());
      return length;
    },
  });
  FS.createStandardStreams = () => {
    for (const [flags, name] of [
      [0, "stdin"],
      [1, "stdout"],
      [1, "stderr"],
    ] as const) {
      FS.mkdev(`/dev/${name}`, device);
      FS.open(`/dev/${name}`, flags);
    }
  };
}

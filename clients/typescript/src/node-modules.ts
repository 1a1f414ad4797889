import { InvalidArgument } from "./errors.ts";

/** Whether this is Node 20.16 or newer. */
export function isNode(): boolean {
  return typeof globalThis.process?.getBuiltinModule === "function";
}

/** Modules of Node. They are not imported, so that bundlers for browsers do not look for them. */
export function nodeModules() {
  if (isNode()) {
    const { process } = globalThis;
    const [fs, path, crypto] = [
      process.getBuiltinModule("node:fs"),
      process.getBuiltinModule("node:path"),
      process.getBuiltinModule("node:crypto"),
    ];
    return { fs, files: fs.promises, path, crypto };
  }
  throw new InvalidArgument(
    "paths of files need Node.js 20.16 or newer; in a browser, pass File objects or { name, content }",
  );
}

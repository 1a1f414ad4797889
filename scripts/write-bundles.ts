import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { bundleDocuments, bundleFunction, bundleSandbox, bundleUploadServer, lambdasFolder } from "../lib/bundling.ts";

const writers: Record<string, (folder: string) => string[]> = {
  "read-document": bundleDocuments,
  "run-program": bundleSandbox,
  "upload-server": bundleUploadServer,
};

/** Writes the code of every function to `folder`, below its name. Returns the files that each contains, relative to the project. */
export function writeBundles(folder: string): Record<string, string[]> {
  const entries = readdirSync(lambdasFolder).map((file) => basename(file, ".ts"));
  return Object.fromEntries(
    entries.map((entry) => {
      const write = writers[entry] ?? ((to: string) => bundleFunction(entry, to));
      return [entry, write(join(folder, entry))];
    }),
  );
}

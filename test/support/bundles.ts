import { canonicalJson } from "../../src/json.ts";
import { sha256Of } from "../../src/agent/turn/files/manifest.ts";
import { zip } from "../../src/runs/bundle/zip.ts";
import { readBundle } from "./read-bundle.ts";

/** A file of a bundle. */
export interface BundleContent {
  name: string;
  content: Uint8Array;
}

/** The files of a bundle without its manifest. */
export async function contentsOf(bundle: Uint8Array): Promise<BundleContent[]> {
  return (await readBundle(bundle)).slice(0, -1).map(({ name, content }) => ({ name, content }));
}

/** A bundle with these files and the manifest that fits them. `changes`: of the manifest. */
export function bundleOf(files: BundleContent[], changes: object = {}): Promise<Buffer> {
  const listed = files.map(({ name, content }) => ({ name, bytes: content.length, sha256: sha256Of(content) }));
  const manifest = { format: "agent-run-service/run-bundle", version: 1, files: listed, ...changes };
  return archiveOf([...files, { name: "manifest.json", content: Buffer.from(`${canonicalJson(manifest)}\n`) }]);
}

/** An archive as exports write it. */
export async function archiveOf(files: BundleContent[]): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of zip(
    (async function* () {
      yield* files;
    })(),
  ))
    parts.push(part);
  return Buffer.concat(parts);
}

/** The files with another text of the first one with such a name. `change`: gets and returns it. */
export function replaced(files: BundleContent[], name: RegExp, change: (text: string) => string): BundleContent[] {
  const index = files.findIndex((file) => name.test(file.name));
  const { name: found = "", content = Buffer.alloc(0) } = files[index] ?? {};
  return files.with(index, { name: found, content: Buffer.from(change(Buffer.from(content).toString())) });
}

type Json = Record<string, unknown>;

/** The files with other events. `change`: gets and returns the values. */
export function withEvents(files: BundleContent[], change: (events: Json[]) => Json[]): BundleContent[] {
  return replaced(files, /^events/, (text) => {
    const lines = text.trimEnd().split("\n");
    return change(lines.map((line) => JSON.parse(line) as Json))
      .map(lineOf)
      .join("");
  });
}

function lineOf(event: object): string {
  const sorted = Object.entries(event).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `${JSON.stringify(Object.fromEntries(sorted))}\n`;
}

/** The files with another record of the run. */
export function withRun(files: BundleContent[], change: (record: RecordJson) => object): BundleContent[] {
  return replaced(files, /^run.json$/, (text) => `${canonicalJson(change(JSON.parse(text) as RecordJson))}\n`);
}

interface RecordJson {
  runId: string;
  run: Json;
  uploads?: object[];
  files?: object[];
}

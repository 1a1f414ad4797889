import { createHash } from "node:crypto";
import { withoutKeyHash } from "../../accounts/starter.ts";
import type { FileVersion } from "../../agent/turn/files/manifest.ts";
import { changedFiles } from "../events.ts";
import { eventsOf } from "./list-events.ts";
import type { Stores } from "../ports.ts";
import type { ArchiveFile } from "../files/tar.ts";

/** Version of the files of an exported run. */
export const runExportVersion = 1;

/** Characters of JSON in one file of events. */
const partLength = 4_000_000;

/** A file of an export as its manifest names it. */
export interface ExportedFile {
  name: string;
  bytes: number;
  sha256: string;
}

export function exportedFile({ name, content }: ArchiveFile): ExportedFile {
  return { name, bytes: content.length, sha256: createHash("sha256").update(content).digest("hex") };
}

export function jsonFile(name: string, value: unknown): ArchiveFile {
  return { name, content: Buffer.from(`${JSON.stringify(value, undefined, 2)}\n`) };
}

/**
 * Everything that is recorded about a run, one file at a time: its record, its events, the configurations of its turns, the
 * contents of its files, and last a manifest with the hash of each. Names begin with `folder`. No file for a run that is gone.
 */
export async function* exportRun(
  { runs, workspace, configurations }: Pick<Stores, "runs" | "workspace" | "configurations">,
  id: string,
  folder: string,
): AsyncGenerator<ArchiveFile> {
  const state = await runs.load(id);
  if (!state) return;
  const { run, queue, summary, uploads = [], files = [] } = state;
  const listed: ExportedFile[] = [];
  const add = (file: ArchiveFile): ArchiveFile => {
    listed.push({ ...exportedFile(file), name: file.name.slice(folder.length) });
    return file;
  };
  const record = { run: withoutKeyHash(run), queue: queue.map(withoutKeyHash), summary, uploads, files };
  yield add(jsonFile(`${folder}run.json`, record));

  const used = new Set<string>();
  const contents = new Set([...uploads, ...files].flatMap(hashesOf));
  let [part, lines, length]: [number, string[], number] = [1, [], 0];
  const endPart = (): ArchiveFile => {
    const name = `${folder}events-${String(part++).padStart(6, "0")}.ndjson`;
    const file = add({ name, content: Buffer.from(lines.join("")) });
    [lines, length] = [[], 0];
    return file;
  };
  for await (const event of eventsOf({ runs }, id)) {
    const line = `${JSON.stringify(withoutKeyHash(event))}\n`;
    lines.push(line);
    length += line.length;
    for (const hash of changedFiles(event).flatMap(hashesOf)) contents.add(hash);
    if ("configuration" in event && event.configuration !== undefined) used.add(event.configuration);
    if (length >= partLength) yield endPart();
  }
  if (lines.length > 0) yield endPart();

  for (const hash of used) {
    const text = await configurations.get(run.agentId, hash);
    if (text !== undefined) yield add({ name: `${folder}configurations/${hash}.json`, content: Buffer.from(text) });
  }
  for (const sha256 of contents) {
    const content = await workspace.read(id, sha256); // old versions may be gone
    if (content) yield add({ name: `${folder}contents/${sha256}`, content });
  }
  yield jsonFile(`${folder}manifest.json`, {
    format: "agent-run-service/run",
    version: runExportVersion,
    run_id: id,
    files: listed,
  });
}

function hashesOf({ sha256, old = [] }: FileVersion & { old?: string[] }): string[] {
  return sha256 === undefined ? old : [sha256, ...old];
}

import type { BigIntStats, Dirent } from "node:fs";
import { posix } from "node:path";
import { setImmediate as pause } from "node:timers/promises";
import { isKeptName, isKeptPath } from "../../filenames.ts";
import { filesBetweenPauses } from "./snapshot.ts";
import type { FileMetadata } from "./linux-types.ts";
import type { UntrustedFolder } from "./untrusted-folder.ts";

/** What a program left under a name. `metadata`: what the workspace keeps of it. */
export interface TreeEntry {
  stats: BigIntStats;
  metadata: FileMetadata & Required<Pick<FileMetadata, "mtime">>;
  /** Of a link. */
  target?: Buffer;
}

export interface WorkspaceTree {
  /** By path, relative to the folder. A folder is before what is in it. */
  entries: Map<string, TreeEntry>;
  /** False: there are more files than could be listed. */
  complete: boolean;
  /** A file is missing in the list. */
  isPartial: boolean;
  notes: string[];
}

/** Levels of folders. Deeper ones are not saved. */
const maxDepth = 32;
/** Names that one note lists. */
const maxNames = 20;
/** Where programs see the workspace. */
const workFolder = "/work/";

/** Why something is not kept, and the names. */
type Refused = Map<string, string[]>;

interface Listing {
  /** Files and links that are listed, and as many folders. */
  maxFiles: number;
  signal: AbortSignal;
  /** Permissions that were changed after the end of the program, by path. */
  modes: ReadonlyMap<string, number> | undefined;
}

/** Lists what is below a folder. */
export async function listTree(root: UntrustedFolder, { maxFiles, signal, modes }: Listing): Promise<WorkspaceTree> {
  const entries = new Map<string, TreeEntry>();
  const refused: Refused = new Map();
  const counts = { files: 0, folders: 0 };

  async function visit(folder: UntrustedFolder, path: string, depth: number): Promise<void> {
    signal.throwIfAborted();
    for (const entry of await folder.entries()) {
      const segment = entry.name.toString();
      const name = path === "" ? segment : `${path}/${segment}`;
      const [kind, count] = entry.isDirectory() ? (["folder", "folders"] as const) : ([undefined, "files"] as const);
      // A name that is not UTF-8 reads back as another one.
      const isKept = Buffer.from(segment).equals(entry.name) && isKeptName(segment) && isKeptPath(name);
      if (!isKept) refuse(refused, "their names are not accepted", JSON.stringify(name.slice(-200)));
      else if (kind === undefined && !entry.isFile() && !entry.isSymbolicLink())
        refuse(refused, kinds, `${name} (${kindOf(entry)})`);
      else if (kind === "folder" && depth >= maxDepth) refuse(refused, `they are below ${maxDepth} folders`, name);
      else if (counts[count] >= maxFiles) refuse(refused, tooMany(maxFiles), name);
      else {
        if (++counts[count] % filesBetweenPauses === 0) await pause();
        await add(folder, entry, segment, name, depth);
      }
    }
  }

  async function add(folder: UntrustedFolder, entry: Dirent<Buffer>, segment: string, name: string, depth: number) {
    const stats = folder.stat(segment);
    const metadata = metadataOf(stats, entry, modes?.get(name));
    if ((stats.mode & 0o6000n) !== 0n) refuse(refused, specialBits, name);
    if (entry.isSymbolicLink()) {
      const target = folder.target(segment);
      if (leaves(name, target)) return refuse(refused, outside, name);
      entries.set(name, { stats, metadata, target });
      return;
    }
    entries.set(name, { stats, metadata });
    if (!entry.isDirectory()) return;
    await using inner = await folder.folder(segment);
    await visit(inner, name, depth + 1);
  }

  await visit(root, "", 0);
  const complete = !refused.has(tooMany(maxFiles));
  const isPartial = [...refused.keys()].some((reason) => reason !== specialBits);
  return { entries, complete, isPartial, notes: [...refused].map(([reason, names]) => noteOf(reason, names)) };
}

const kinds = "only files, folders and symbolic links are kept";
const outside = "a symbolic link must lead to a place in the workspace";
const specialBits = "the set-user-ID and set-group-ID bits are not kept";

function tooMany(maxFiles: number): string {
  return `a workspace has at most ${maxFiles} files, and as many folders`;
}

function refuse(refused: Refused, reason: string, name: string): void {
  const names = refused.get(reason) ?? [];
  refused.set(reason, names);
  names.push(name);
}

/** The note for files that are not saved. */
export function noteOf(reason: string, names: string[]): string {
  const more = names.length > maxNames ? `, and ${names.length - maxNames} more` : "";
  return `Not saved, because ${reason}: ${names.slice(0, maxNames).join(", ")}${more}.`;
}

function metadataOf(
  { mtimeNs, mode }: BigIntStats,
  entry: Dirent<Buffer>,
  before: number | undefined,
): TreeEntry["metadata"] {
  const mtime = microseconds(mtimeNs);
  if (entry.isSymbolicLink()) return { mtime, kind: "link" };
  return { mtime, mode: before ?? Number(mode & 0o777n), ...(entry.isDirectory() && { kind: "folder" as const }) };
}

/** Rounded: Node sets times with an error of up to 250 ns. */
export function microseconds(nanoseconds: bigint): number {
  const rounded = Number((nanoseconds + 500n) / 1_000n);
  return Math.max(-Number.MAX_SAFE_INTEGER, Math.min(rounded, Number.MAX_SAFE_INTEGER)); // from 1684 to 2255
}

/** Whether the target of a link is outside of the workspace, by its text: no link is followed to find out. */
function leaves(name: string, target: Buffer): boolean {
  const text = target.toString();
  if (!Buffer.from(text).equals(target) || text.length > 1_000) return true;
  const path =
    text.startsWith(workFolder) || `${text}/` === workFolder
      ? text.slice(workFolder.length)
      : posix.join(posix.dirname(name), text);
  return text.startsWith("/") && !`${text}/`.startsWith(workFolder)
    ? true
    : posix.normalize(`./${path}`).split("/")[0] === "..";
}

function kindOf(entry: Dirent<Buffer>): string {
  return entry.isFIFO() ? "pipe" : entry.isSocket() ? "socket" : "device";
}

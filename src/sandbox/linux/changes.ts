import { createHash, hash } from "node:crypto";
import type { BigIntStats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { semaphore } from "../../async/semaphore.ts";
import { settleAll } from "../../async/settle-all.ts";
import { defaultModes } from "./lay-out.ts";
import { Budget, type CollectLimits } from "./budget.ts";
import type { LinuxLimits } from "./linux-limits.ts";
import { noChanges } from "./program-end.ts";
import type { Snapshot } from "./snapshot.ts";
import type { ContentFolder, UntrustedFile } from "./content-folder.ts";
import type { FileMetadata, LinuxProgram, LinuxResult, StoredFile } from "./linux-types.ts";
import { openFileBelow, openUntrusted, partsOf, type UntrustedFolder } from "./untrusted-folder.ts";
import { listTree, microseconds, type WorkspaceTree } from "./workspace-tree.ts";

/** Where the files of a program are after its end. No process of the program may be alive. */
export interface EndedWorkspace {
  /** The workspace as the program left it. */
  folder: string;
  /** The files at the start of the program. */
  before: readonly StoredFile[];
  /** Absent: all files are read. */
  snapshot?: Snapshot;
  /** Permissions that were changed after the end of the program, by path. */
  modes?: () => ReadonlyMap<string, number>;
}

/** Files that are stored at the same time. More only wait for the disk or the network. */
const concurrentStores = 8;
/** Seconds for reading and storing what a program changed. 1 GB takes about 3 s on a disk of today. */
const collectSeconds = 60;

export function collectLimits(
  { files, fileBytes, diskBytes }: LinuxLimits,
  { room }: Pick<LinuxProgram, "room">,
): CollectLimits {
  return { files, fileBytes, writtenBytes: diskBytes, room };
}

type Changes = Pick<LinuxResult, "changed" | "deleted" | "notes" | "isPartial" | "unused" | "problem">;

/**
 * Finds what a program changed and stores what fits. No link is followed, and no special file opened. What cannot be saved is
 * named in a note.
 */
export async function collectChanges(
  { folder, before, snapshot, modes }: EndedWorkspace,
  contents: Pick<ContentFolder, "store" | "settle">,
  limits: CollectLimits,
  signal: AbortSignal,
): Promise<Changes> {
  const timeout = AbortSignal.timeout(collectSeconds * 1_000);
  const ending = AbortSignal.any([signal, timeout]);
  const stored: string[] = [];
  try {
    await using root = await openUntrusted(folder);
    const tree = await listTree(root, { maxFiles: limits.files, signal: ending, modes: modes?.() });
    const { different, notes } = await findDifferent(root, tree, { before, snapshot, limits, signal: ending });
    const limited = semaphore(concurrentStores);
    const changed = await settleAll(
      different.map(({ name, content, metadata }) =>
        limited(async (): Promise<StoredFile> => {
          if ("sha256" in content) return { name, ...content, ...metadata };
          ending.throwIfAborted();
          const written = await contents.store(content, ending);
          stored.push(written.sha256);
          return { name, ...written, ...metadata };
        }),
      ),
    );
    if (stored.length > 0) await contents.settle();
    // A listing that was cut says nothing about the rest.
    const gone = tree.complete ? before.filter((file) => isGone(file, tree)) : [];
    const deleted = gone.map(({ name }) => name);
    const isPartial = notes.length > 0 || tree.isPartial;
    return { changed, deleted, notes: [...tree.notes, ...notes], ...(isPartial && { isPartial }) };
  } catch (error) {
    if (!timeout.aborted || signal.aborted) throw error;
    const problem = `The files that the program wrote could not be stored within ${collectSeconds} seconds. No files were saved.`;
    return { ...noChanges, problem, unused: stored };
  }
}

/** A folder takes the place of a file by its deletion. */
function isGone({ name, kind }: StoredFile, { entries }: WorkspaceTree): boolean {
  const now = entries.get(name);
  return !now || (now.metadata.kind === "folder" && kind !== "folder");
}

interface Compared {
  before: readonly StoredFile[];
  snapshot: Snapshot | undefined;
  limits: CollectLimits;
  signal: AbortSignal;
}

/** A file that is to be recorded. `content`: as it is stored already, or to be stored. */
interface Different {
  name: string;
  content: Pick<StoredFile, "size" | "sha256"> | UntrustedFile;
  metadata: FileMetadata;
}

/** The files that differ from those before, and that fit. Sizes are compared before a content is read. */
async function findDifferent(
  root: UntrustedFolder,
  tree: WorkspaceTree,
  { before, snapshot, limits, signal }: Compared,
): Promise<{ different: Different[]; notes: string[] }> {
  const original = new Map(before.map((file) => [file.name, file]));
  const groups = hardLinks(tree, original);
  const present = before.filter(({ name }) => tree.entries.has(name));
  const budget = new Budget(
    limits,
    present.reduce((sum, { size }) => sum + size, 0),
  );
  const different: Different[] = [];
  for (const [name, { stats, target, metadata: found }] of tree.entries) {
    const earlier = original.get(name);
    const linked = groups.get(name);
    const metadata = recorded({ ...found, ...(linked !== undefined && { linked }) });
    const at = snapshot?.at(name);
    const isSameMetadata = sameMetadata(metadata, earlier, at);
    if (found.kind === "folder") {
      if (!isSameMetadata) different.push({ name, content: { content: Buffer.alloc(0) }, metadata });
      continue;
    }
    const size = target?.length ?? Number(stats.size);
    const couldBeSame = earlier?.kind === found.kind && earlier?.size === size;
    const isUntouched = couldBeSame && snapshot?.contentOf(stats) === earlier.sha256;
    if (!isUntouched && !budget.allows(name, { size, before: earlier?.size ?? 0 })) continue;
    const read = () => (target ? sha256OfBytes(target) : sha256At(root, name, signal));
    if (isUntouched || (couldBeSame && earlier.sha256 === (await read()))) {
      if (!isSameMetadata) different.push({ name, content: { size, sha256: earlier.sha256 }, metadata });
      continue;
    }
    budget.take({ size, before: earlier?.size ?? 0 });
    // A write through a map leaves the time as it was.
    const isUnnoticed = at?.ino === stats.ino && at.ctimeNs === stats.ctimeNs;
    different.push({
      name,
      content: target ? { content: target } : { open: () => openFileBelow(root, name) },
      metadata: isUnnoticed ? { ...metadata, mtime: Date.now() * 1_000 } : metadata,
    });
  }
  return { different, notes: budget.notes() };
}

/** What a record has of the metadata: nothing that is the default. */
function recorded({ mode, ...others }: FileMetadata): FileMetadata {
  const usual = others.kind === "folder" ? defaultModes.folder : defaultModes.file;
  return { ...others, ...(mode !== undefined && mode !== usual && { mode }) };
}

/** `at`: the file at the start of the program, whose time is used where none is recorded. */
function sameMetadata(
  { mtime, mode, kind, linked }: FileMetadata,
  earlier: StoredFile | undefined,
  at: BigIntStats | undefined,
): boolean {
  // A folder without a record of its own has the usual permissions.
  const before: FileMetadata | undefined = earlier ?? (kind === "folder" && at?.isDirectory() ? { kind } : undefined);
  if (!before || before.kind !== kind || before.linked !== linked || before.mode !== mode) return false;
  return mtime === (before.mtime ?? (at && microseconds(at.mtimeNs)));
}

/** A number for each file with several names in the workspace: the one that it had, if it had one. */
function hardLinks({ entries }: WorkspaceTree, original: Map<string, StoredFile>): Map<string, number> {
  const several = [...entries].filter(([, { stats }]) => stats.isFile() && stats.nlink > 1n);
  const byInode = [...Map.groupBy(several, ([, { stats }]) => `${stats.dev} ${stats.ino}`).values()];
  const groups = byInode.filter(({ length }) => length > 1).map((group) => group.map(([name]) => name));
  const used = new Set<number>();
  let last = Math.max(0, ...[...original.values()].map(({ linked = 0 }) => linked));
  const numbers = new Map<string, number>();
  for (const names of groups) {
    const kept = names.map((name) => original.get(name)?.linked).find((each) => each !== undefined && !used.has(each));
    const number = kept ?? ++last;
    used.add(number);
    for (const name of names) numbers.set(name, number);
  }
  return numbers;
}

async function sha256At(root: UntrustedFolder, name: string, signal: AbortSignal): Promise<string> {
  await using file = await openFileBelow(root, name);
  return await sha256OfFile(file, signal);
}

/** SHA-256 (hex) of bytes. */
export function sha256OfBytes(content: Uint8Array): string {
  return hash("sha256", content, "hex");
}

/** SHA-256 (hex) of a file that a program wrote. */
export async function sha256OfFile(file: FileHandle, signal: AbortSignal): Promise<string> {
  const digest = createHash("sha256");
  for await (const part of partsOf(file)) {
    signal.throwIfAborted();
    digest.update(part);
  }
  return digest.digest("hex");
}

import { semaphore } from "../../async/semaphore.ts";
import type { Attachment } from "../model.ts";
import type { StoredFile } from "../../sandbox/linux/types.ts";
import { defaultFileLimits, type FileLimits } from "../tools/file-limits.ts";
import { type FileInfo, FileRefused, type Files } from "../tools/files.ts";
import {
  applyChanges,
  entriesIn,
  filesIn,
  type FileVersion,
  infosIn,
  type Manifest,
  manifestHash,
  type ManifestFile,
  manifestOf,
  sha256Of,
} from "./manifest.ts";
import { SeenFiles } from "./seen-files.ts";

/** Store of the contents of a run's files. */
export interface FileContents {
  read(file: Pick<FileVersion, "name" | "sha256">): Promise<Uint8Array | undefined>;
  /** Idempotent. Resolves when the content is durable. */
  write(sha256: string, content: Uint8Array): Promise<void>;
  /** Best effort; never rejects. */
  remove(sha256s: string[]): Promise<void>;
}

/**
 * What a result changed: the new contents, the hash of the manifest with them, and the bytes that all files have more than
 * before (absent: 0). Empty: no file.
 */
export interface FileChanges {
  files?: FileVersion[];
  manifest?: string;
  fileBytes?: number;
}

/** The workspace during a turn. Its files are those of the recorded results. */
export interface TurnFiles {
  /** Sorted by name. */
  list(): Promise<FileInfo[]>;
  /** Undefined when the content is no longer kept. */
  readAttachment: (attachment: Attachment) => Promise<Uint8Array | undefined>;
  startCall(): Promise<CallFiles>;
  /** The files after the results of the turn. Undefined: they changed none. */
  changed(): Promise<ManifestFile[] | undefined>;
  /** Resolves when no removal of a dropped content is in progress. */
  settled(): Promise<void>;
}

/**
 * The workspace as one tool call sees it: as it was when the call started, with the call's own changes. From its first
 * change on, the call also sees the changes of calls that changed files before it. `end` or `discard` ends it.
 */
export interface CallFiles extends Files {
  find(name: string): FileVersion | undefined;
  /**
   * Records the call's result with its changes, which calls that start later then see. Results that changed files are
   * recorded in the order of their first change, so that a recorded result never builds on a lost one.
   */
  end(record: (changes: FileChanges) => Promise<boolean>): Promise<boolean>;
  /** Drops the changes. The results of calls that may have seen them cannot be recorded: their `end` rejects with `reason`. */
  discard(reason: unknown): void;
}

export interface TurnFilesConfig {
  contents: FileContents;
  /** Reads the files at the start of the turn. Called at the first use. */
  atStart: () => Promise<ManifestFile[]>;
  /** Changes of the recorded results of the turn, in the order in which they were recorded. */
  changes: FileVersion[][];
  /** SHA-256 of contents that are never removed. */
  pinned: Iterable<string>;
  /** Number of old contents that are kept of each file name. */
  keep: number;
  /** Default of each: that of `defaultFileLimits`. */
  limits?: Partial<FileLimits> | undefined;
  /** What quotas leave for further files. Read when a call first writes. Absent, or undefined: there is no quota. */
  storage?: () => Promise<{ scope: string; limit: number; left: number } | undefined>;
  /** No file is written once it is aborted: the run may have been deleted. */
  signal: AbortSignal;
}

/** A call that has changed files. Its result is not recorded yet. */
interface Writer {
  changes: Map<string, FileVersion>;
  /** The files with the changes of earlier writers and its own, as of `version`. */
  seen?: { files: SeenFiles; version: number };
  /** Settles when its result has been passed on to be recorded, or never will be. */
  submitted: PromiseWithResolvers<void>;
}

export function turnFiles(config: TurnFilesConfig): TurnFiles {
  const { contents, atStart, changes, pinned, keep, storage, signal } = config;
  const limits = { ...defaultFileLimits, ...config.limits };
  let recorded: Manifest = new Map();
  let opening: Promise<void> | undefined;
  let hasChanged = changes.length > 0;
  /** In the order of their first change. */
  const writers: Writer[] = [];
  /** Counts the changes of writers. */
  let version = 0;
  let discarded: { reason: unknown } | undefined;
  let callsInProgress = 0;
  /** SHA-256 of contents that are no longer kept, but that calls in progress may read or write. */
  const dropped = new Set<string>();
  const removals = new Map<string, Promise<void>>();
  const lock = semaphore(1);

  async function open(): Promise<void> {
    recorded = applyChanges(manifestOf(await atStart()), changes.flat(), keep).manifest;
  }

  function seenBy(writer: Writer): SeenFiles {
    if (writer.seen?.version === version) return writer.seen.files;
    const files = new SeenFiles(recorded.values());
    for (const each of writers.slice(0, writers.indexOf(writer) + 1)) {
      for (const changed of each.changes.values()) files.apply(changed);
    }
    writer.seen = { files, version };
    return files;
  }

  function change(writer: Writer, file: FileVersion): void {
    const files = seenBy(writer);
    writer.changes.set(file.name, file);
    files.apply(file);
    writer.seen = { files, version: ++version };
  }

  async function read(file: FileVersion | undefined): Promise<Uint8Array | undefined> {
    const content = file && (await contents.read(file));
    if (content || file?.sha256 === undefined) return content;
    throw new Error(`the content ${file.sha256} of a file is missing from the workspace of the run`);
  }

  /** Stores the content of a file of version 0.1, which has no hash. */
  async function withHash(file: FileVersion): Promise<StoredFile> {
    const { name, size, sha256 } = file;
    if (sha256 !== undefined) return { name, size, sha256 };
    const content = await contents.read(file);
    if (!content) throw new Error(`the file ${JSON.stringify(name)} is missing from the workspace of the run`);
    const hash = sha256Of(content);
    await contents.write(hash, content);
    return { name, size: content.length, sha256: hash };
  }

  /** Removes dropped contents when no call is in progress. Only a write of the same content and `settled` wait for it. */
  function endCall(): void {
    callsInProgress--;
    if (callsInProgress > 0 || dropped.size === 0) return;
    const used = new Set<string | undefined>(pinned);
    for (const { sha256, old = [] } of recorded.values()) for (const each of [sha256, ...old]) used.add(each);
    const unused = [...dropped].filter((each) => !used.has(each));
    dropped.clear();
    if (unused.length === 0) return;
    const removal = contents.remove(unused).then(() => {
      for (const each of unused) removals.delete(each);
    });
    for (const each of unused) removals.set(each, removal);
  }

  function leave(writer: Writer): void {
    writer.submitted.resolve();
    version++;
    const place = writers.indexOf(writer);
    if (place >= 0) writers.splice(place, 1);
  }

  async function recordChanges(writer: Writer, record: (changes: FileChanges) => Promise<boolean>): Promise<boolean> {
    const earlier = writers.slice(0, writers.indexOf(writer));
    await Promise.all(earlier.map(({ submitted }) => submitted.promise));
    if (discarded) throw discarded.reason;
    const files = [...writer.changes.values()];
    const manifest = manifestHash(seenBy(writer).manifest);
    const sizeBefore = (name: string): number =>
      (earlier.findLast((each) => each.changes.has(name))?.changes.get(name) ?? recorded.get(name))?.size ?? 0;
    const fileBytes = files.reduce((bytes, { name, size }) => bytes + size - sizeBefore(name), 0);
    const recording = record({
      files,
      ...(manifest !== undefined && { manifest }),
      ...(fileBytes !== 0 && { fileBytes }),
    });
    writer.submitted.resolve();
    if (!(await recording)) return false;
    const applied = applyChanges(recorded, files, keep);
    recorded = applied.manifest;
    leave(writer); // at once: its changes must not be applied again
    hasChanged = true;
    for (const each of applied.dropped) dropped.add(each);
    return true;
  }

  /** The bytes that the recorded results have are part of what quotas count. */
  async function withStorage(): Promise<FileLimits> {
    const bytes = filesIn(recorded).reduce((sum, { size }) => sum + size, 0);
    const found = await storage?.();
    return found ? { ...limits, quota: { ...found, bytes: bytes + found.left } } : limits;
  }

  async function startCall(): Promise<CallFiles> {
    await (opening ??= open());
    callsInProgress++;
    const start = recorded;
    let seenAtStart: SeenFiles | undefined;
    let writer: Writer | undefined;
    let ended = false;
    let hasLeft = false;
    let ownLimits: FileLimits | undefined;
    const seen = (): SeenFiles => (writer ? seenBy(writer) : (seenAtStart ??= new SeenFiles(start.values())));

    /** The limits of this call: those of the workspace, and what quotas left when the call first wrote. */
    async function limitsOfCall(): Promise<FileLimits> {
      return (ownLimits ??= await withStorage());
    }

    function requireAccepted(file: FileInfo, accepted: FileLimits): void {
      const problem = seen().problemOf(file, accepted);
      if (problem !== undefined) throw new FileRefused(problem);
    }

    function startChange(): Writer {
      signal.throwIfAborted();
      if (ended) throw new Error("the tool call has ended and cannot change files");
      if (writer) return writer;
      writer = { changes: new Map(), submitted: Promise.withResolvers() };
      writers.push(writer);
      return writer;
    }

    function leaveTurn(): void {
      if (hasLeft) return;
      hasLeft = true;
      if (writer) leave(writer);
      endCall();
    }

    function discard(reason: unknown): void {
      ended = true;
      if (!hasLeft && writer && writer.changes.size > 0) discarded ??= { reason };
      leaveTurn();
    }

    return {
      list: async () => seen().list(),
      read: async (name) => read(seen().find(name)),
      find: (name) => seen().find(name),
      problemOf: async (file) => {
        const accepted = await limitsOfCall();
        return seen().problemOf(file, accepted);
      },
      update: (work) =>
        lock(async () => {
          startChange();
          return work();
        }),
      async write(name, content) {
        const own = startChange();
        requireAccepted({ name, size: content.length }, await limitsOfCall());
        const sha256 = sha256Of(content);
        await removals.get(sha256);
        await contents.write(sha256, content);
        change(own, { name, size: content.length, sha256 });
      },
      async remove(name) {
        const own = startChange();
        if (seen().find(name)) change(own, { name, size: 0, deleted: true });
      },
      async stored() {
        await Promise.all(removals.values());
        return Promise.all(filesIn(seen().manifest).map(withHash));
      },
      async adopt({ name, size, sha256 }) {
        const own = startChange();
        requireAccepted({ name, size }, await limitsOfCall());
        change(own, { name, size, sha256 });
      },
      async end(record) {
        ended = true;
        try {
          if (writer && writer.changes.size > 0) return await recordChanges(writer, record);
          if (writer) leave(writer);
          return await record({});
        } catch (error) {
          discard(error);
          throw error;
        } finally {
          leaveTurn();
        }
      },
      discard,
    };
  }

  return {
    startCall,
    async list() {
      await (opening ??= open());
      return infosIn(recorded);
    },
    settled: async () => void (await Promise.allSettled(removals.values())),
    async readAttachment({ name, sha256 }) {
      if (sha256 !== undefined) return contents.read({ name, sha256 });
      await (opening ??= open());
      return read(recorded.get(name));
    },
    async changed() {
      if (!hasChanged) return undefined;
      await (opening ??= open());
      return entriesIn(recorded);
    },
  };
}

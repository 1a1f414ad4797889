import { semaphore } from "../../../async/semaphore.ts";
import { defaultFileLimits, type FileLimits } from "../../tools/files/file-limits.ts";
import { DroppedContents } from "../history/dropped-contents.ts";
import { applyChanges, filesIn, type FileVersion, type Manifest, manifestHash, manifestOf } from "./manifest.ts";
import { PendingChanges, type Writer } from "./pending-changes.ts";
import type { FileChanges, TurnFilesConfig } from "./workspace-types.ts";

/** What the calls of a turn share: the recorded files, the changes that are pending, and the contents that were dropped. */
export class TurnWorkspace {
  readonly config: TurnFilesConfig;
  /** The files of the recorded results. Empty before `open`. */
  recorded: Manifest = new Map();
  /** Whether a result of the turn changed a file. */
  hasChanged: boolean;
  readonly pending = new PendingChanges(() => this.recorded);
  readonly dropped: DroppedContents;
  /** For work that reads files and then changes them. */
  readonly lock = semaphore(1);
  /** Why the changes of a call were dropped that later calls may have seen. */
  #discarded: { reason: unknown } | undefined;
  #opening: Promise<void> | undefined;

  constructor(config: TurnFilesConfig) {
    const { contents, pinned, changes } = config;
    this.config = config;
    this.hasChanged = changes.length > 0;
    this.dropped = new DroppedContents((sha256s) => contents.remove(sha256s), pinned);
  }

  /** Reads the files at the start of the turn, once. */
  open(): Promise<void> {
    return (this.#opening ??= this.#readStart());
  }

  async #readStart(): Promise<void> {
    const { atStart, changes, keep } = this.config;
    const found = atStart();
    const manifest = manifestOf("then" in found ? await found : found);
    this.recorded = changes.length === 0 ? manifest : applyChanges(manifest, changes.flat(), keep).manifest;
  }

  async read(file: FileVersion | undefined): Promise<Uint8Array | undefined> {
    if (file?.sha256 === undefined) return undefined;
    const content = await this.config.contents.read(file.sha256);
    if (content) return content;
    throw new Error(`the content ${file.sha256} of a file is missing from the workspace of the run`);
  }

  /** The limits of a call that writes now: those of the workspace, and what quotas leave. */
  async limits(): Promise<FileLimits> {
    const limits = { ...defaultFileLimits, ...this.config.limits };
    // The bytes that the recorded results have are part of what quotas count.
    const bytes = filesIn(this.recorded).reduce((sum, { size }) => sum + size, 0);
    const found = await this.config.storage?.();
    return found ? { ...limits, quota: { ...found, bytes: bytes + found.left } } : limits;
  }

  /** Records the result of a call that has changed files, after those of earlier ones. False: it was not recorded. */
  async record(writer: Writer, record: (changes: FileChanges) => Promise<boolean>): Promise<boolean> {
    const earlier = this.pending.before(writer);
    await Promise.all(earlier.map(({ submitted }) => submitted.promise));
    if (this.#discarded) throw this.#discarded.reason;
    const files = [...writer.changes.values()];
    const manifest = manifestHash(this.pending.seenBy(writer).manifest);
    const fileBytes = this.#addedBytes(files, earlier);
    const recording = record({ files, manifest, ...(fileBytes !== 0 && { fileBytes }) });
    writer.submitted.resolve();
    if (!(await recording)) return false;
    const applied = applyChanges(this.recorded, files, this.config.keep);
    this.recorded = applied.manifest;
    this.pending.leave(writer); // at once: its changes must not be applied again
    this.hasChanged = true;
    this.dropped.add(applied.dropped);
    return true;
  }

  #addedBytes(files: FileVersion[], earlier: Writer[]): number {
    const sizeBefore = (name: string): number =>
      (earlier.findLast((each) => each.changes.has(name))?.changes.get(name) ?? this.recorded.get(name))?.size ?? 0;
    return files.reduce((bytes, { name, size }) => bytes + size - sizeBefore(name), 0);
  }

  /** From now on, no result of a call is recorded that has changed files: it may have seen dropped changes. */
  discard(reason: unknown): void {
    this.#discarded ??= { reason };
  }
}

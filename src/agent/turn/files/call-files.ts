import type { StoredFile } from "../../../sandbox/linux/linux-types.ts";
import type { FileLimits } from "../../tools/files/file-limits.ts";
import { FileRefused } from "../../tools/files/files.ts";
import { type ExistingFile, filesIn, type FileVersion, metadataOf, othersIn, sha256Of } from "./manifest.ts";
import type { Writer } from "./pending-changes.ts";
import { SeenFiles } from "./seen-files.ts";
import type { CallFiles } from "./workspace-types.ts";
import type { TurnWorkspace } from "./turn-workspace.ts";

/** The workspace for a call that starts now. It is open. */
export function callFiles(workspace: TurnWorkspace): CallFiles {
  const { pending, dropped, config } = workspace;
  const start = workspace.recorded;
  /** `ended`: it cannot change files any more, and its result is being recorded. `left`: its changes are no longer pending. */
  let state: "open" | "ended" | "left" = "open";
  /** Absent: the call has changed no file, and sees those at its start. */
  let writer: Writer | undefined;
  let seenAtStart: SeenFiles | undefined;
  let limits: FileLimits | undefined;
  dropped.startCall();

  const seen = (): SeenFiles => (writer ? pending.seenBy(writer) : (seenAtStart ??= new SeenFiles(start.values())));

  /** Those when the call first wrote. */
  async function limitsOfCall(): Promise<FileLimits> {
    return (limits ??= await workspace.limits());
  }

  function requireAccepted(file: FileVersion, accepted: FileLimits, isOfProgram: boolean): void {
    const problem = seen().problemOf(file, accepted, isOfProgram);
    if (problem !== undefined) throw new FileRefused(problem);
  }

  function startChange(): Writer {
    config.signal.throwIfAborted();
    if (state !== "open") throw new Error("the tool call has ended and cannot change files");
    return (writer ??= pending.start());
  }

  function leave(): void {
    if (state === "left") return;
    state = "left";
    if (writer) pending.leave(writer);
    dropped.endCall(workspace.recorded);
  }

  function discard(reason: unknown): void {
    if (state !== "left" && writer && writer.changes.size > 0) workspace.discard(reason);
    leave();
  }

  return {
    list: async () => seen().list(),
    others: async () => othersIn(seen().manifest),
    read: async (name) => {
      const file = seen().find(name);
      return file?.kind === undefined ? workspace.read(file) : undefined;
    },
    linkTarget: async (name) => {
      const file = seen().find(name);
      return file?.kind === "link" ? new TextDecoder().decode(await workspace.read(file)) : undefined;
    },
    find: (name) => seen().find(name),
    problemOf: async (file, isOfProgram = false) => {
      const accepted = await limitsOfCall();
      return seen().problemOf(file, accepted, isOfProgram);
    },
    update: (work) =>
      workspace.lock(async () => {
        startChange();
        return work();
      }),
    async write(name, content) {
      const own = startChange();
      requireAccepted({ name, size: content.length }, await limitsOfCall(), false);
      const sha256 = sha256Of(content);
      const mtime = Date.now() * 1_000;
      await dropped.settledOf(sha256);
      await config.contents.write(sha256, content);
      pending.change(own, { name, size: content.length, sha256, mtime, ...modeOf(seen().find(name)) });
    },
    async remove(name) {
      const own = startChange();
      if (seen().find(name)) pending.change(own, { name, size: 0, deleted: true });
    },
    async stored() {
      await dropped.settled();
      return filesIn(seen().manifest).map((file) => storedOf(file));
    },
    async room() {
      const { bytes, quota } = await workspace.limits(); // a program can be long: they are read again when it ends
      if (quota === undefined || quota.bytes >= bytes) return { bytes, limit: `the workspace may have ${bytes} bytes` };
      const limit = `the files of the ${quota.scope}'s runs may have ${quota.limit} bytes together (maxStoredBytes)`;
      return { bytes: quota.bytes, limit };
    },
    release: (sha256s) => dropped.add(sha256s),
    async adopt({ name, size, sha256, ...others }) {
      const own = startChange();
      const file = { name, size, sha256, ...metadataOf(others) };
      requireAccepted(file, await limitsOfCall(), true);
      pending.change(own, file);
    },
    async end(record) {
      if (state === "open") state = "ended";
      try {
        if (writer && writer.changes.size > 0) return await workspace.record(writer, record);
        if (writer) pending.leave(writer);
        return await record({});
      } catch (error) {
        discard(error);
        throw error;
      } finally {
        leave();
      }
    },
    discard,
  };
}

function storedOf({ name, size, sha256, ...others }: ExistingFile): StoredFile {
  return { name, size, sha256, ...metadataOf(others) };
}

/** A file that is written again keeps its permissions. */
function modeOf(file: FileVersion | undefined): Pick<FileVersion, "mode"> {
  return file?.kind === undefined && file?.mode !== undefined ? { mode: file.mode } : {};
}

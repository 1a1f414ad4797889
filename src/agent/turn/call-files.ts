import type { FileLimits } from "../tools/file-limits.ts";
import { type FileInfo, FileRefused } from "../tools/files.ts";
import { filesIn, sha256Of } from "./manifest.ts";
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

  function requireAccepted(file: FileInfo, accepted: FileLimits): void {
    const problem = seen().problemOf(file, accepted);
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
    read: async (name) => workspace.read(seen().find(name)),
    find: (name) => seen().find(name),
    problemOf: async (file) => {
      const accepted = await limitsOfCall();
      return seen().problemOf(file, accepted);
    },
    update: (work) =>
      workspace.lock(async () => {
        startChange();
        return work();
      }),
    async write(name, content) {
      const own = startChange();
      requireAccepted({ name, size: content.length }, await limitsOfCall());
      const sha256 = sha256Of(content);
      await dropped.settledOf(sha256);
      await config.contents.write(sha256, content);
      pending.change(own, { name, size: content.length, sha256 });
    },
    async remove(name) {
      const own = startChange();
      if (seen().find(name)) pending.change(own, { name, size: 0, deleted: true });
    },
    async stored() {
      await dropped.settled();
      return Promise.all(filesIn(seen().manifest).map((file) => workspace.withHash(file)));
    },
    async adopt({ name, size, sha256 }) {
      const own = startChange();
      requireAccepted({ name, size }, await limitsOfCall());
      pending.change(own, { name, size, sha256 });
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

import { semaphore } from "../../async/semaphore.ts";
import { settleAll } from "../../async/settle-all.ts";
import { contentName, requireFlatName } from "../../filenames.ts";
import type { Workspace } from "../../runs/ports.ts";
import { withMappedErrors } from "./sdk/sdk-errors.ts";
import type { Objects } from "./s3/bucket.ts";
import { ownPrefix } from "./s3/own-prefix.ts";

/** Copies at a time: each takes a connection. */
const maxCopies = 20;

/** Stores the contents of each run as objects with a common prefix. `objects` is opened at the first use. */
export function awsWorkspace(objects: () => Promise<Objects>): Workspace {
  const inTurn = semaphore(maxCopies);
  return withMappedErrors<Workspace>("S3", {
    async write(runId, contents) {
      const puts = new Map(contents.map(({ sha256, content }) => [contentKey(runId, sha256), content]));
      const bucket = await objects();
      await settleAll([...puts].map(([key, content]) => bucket.put(key, content)));
    },

    async read(runId, sha256) {
      const key = contentKey(runId, sha256);
      return (await objects()).get(key);
    },

    async remove(runId, sha256s) {
      const keys = sha256s.map((sha256) => contentKey(runId, sha256));
      await (await objects()).remove(keys);
    },

    async link(from, to, sha256s) {
      const keys = [...new Set(sha256s)].map(
        (sha256) => [sha256, contentKey(from, sha256), contentKey(to, sha256)] as const,
      );
      const bucket = await objects();
      const copied = await settleAll(
        keys.map(([sha256, source, target]) =>
          inTurn(async () => ((await bucket.copy(source, target)) ? [] : [sha256])),
        ),
      );
      return copied.flat();
    },

    async removeAll(runId) {
      const prefix = prefixOf(runId);
      await (await objects()).removeAll(prefix);
    },
  });
}

function prefixOf(runId: string): string {
  // ASCII only, without a slash, dot segment or control character.
  return ownPrefix("workspaces", encodeURIComponent(requireFlatName(runId)));
}

/** Key of the object with a content of a run. */
export function contentKey(runId: string, sha256: string): string {
  return prefixOf(runId) + contentName(sha256);
}

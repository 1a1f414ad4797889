import { settleAll } from "../../async/settle-all.ts";
import { requireFlatName } from "../../filenames.ts";
import type { Workspace } from "../../runs/ports.ts";
import { withMappedErrors } from "./errors.ts";
import type { Objects } from "./bucket.ts";
import { objectPrefixes } from "./table.ts";

/** Stores the files of each run as objects with a common prefix. `objects` is opened at the first use. */
export function awsWorkspace(objects: () => Promise<Objects>): Workspace {
  return withMappedErrors<Workspace>("S3", {
    async write(runId, files) {
      const puts = files.map(({ name, content }) => ({ key: keyOf(runId, name), content }));
      const bucket = await objects();
      await settleAll(puts.map(({ key, content }) => bucket.put(key, content)));
    },

    async list(runId) {
      const prefix = prefixOf(runId);
      const found = await (await objects()).list(prefix);
      return found
        .map(({ key, size }) => ({ name: decodeURIComponent(key.slice(prefix.length)), size }))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1));
    },

    async read(runId, name) {
      const key = keyOf(runId, name);
      return (await objects()).get(key);
    },

    async remove(runId, names) {
      const keys = names.map((name) => keyOf(runId, name));
      await (await objects()).remove(keys);
    },

    async removeAll(runId) {
      const prefix = prefixOf(runId);
      await (await objects()).removeAll(prefix);
    },
  });
}

function prefixOf(runId: string): string {
  return `${objectPrefixes.workspaces}${encoded(runId)}/`;
}

function keyOf(runId: string, name: string): string {
  return prefixOf(runId) + encoded(name);
}

/** ASCII only, without a slash, dot segment or control character. */
function encoded(name: string): string {
  return encodeURIComponent(requireFlatName(name));
}

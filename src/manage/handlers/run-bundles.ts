import { ServiceError } from "../../errors.ts";
import { contentDisposition } from "../../http/rest/attachment.ts";
import { openBundle } from "../../runs/bundle/export-bundle.ts";
import { importBundle } from "../../runs/bundle/import-bundle.ts";
import { bundleIn } from "../../runs/bundle/read-archive.ts";
import type { RunDescriber } from "../../runs/read/describe-runs.ts";
import type { ManageHandlers } from "../call.ts";
import type { ManageDeps } from "../deps.ts";
import { manageError } from "../manage-errors.ts";
import { wireRun } from "../wire/run.ts";

const mediaType = "application/zip";

/** Runs as bundles. */
export function runBundleHandlers(deps: ManageDeps, describer: RunDescriber) {
  return {
    async export_run({ path }) {
      const { run, bytes } = await openBundle(deps, path.run_id);
      const headers = {
        "content-type": mediaType,
        "content-disposition": contentDisposition(`run-${run.id}.zip`),
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
      };
      const { maxResponseBytes } = deps;
      const body = maxResponseBytes === undefined ? () => bytes : await collected(bytes, maxResponseBytes);
      if (body !== undefined) return { status: 200, headers, body };
      const { stack } = deps.service;
      throw manageError(
        "response_too_large",
        `The bundle is larger than AWS Lambda can send (6 MB). Export it with: npm run -s admin -- --stack ${stack} run export ${run.id}`,
      );
    },

    async import_run({ path, principal, request: { headers, parseBody } }) {
      const [type = ""] = (headers["content-type"] ?? "").split(";");
      if (type.trim().toLowerCase() !== mediaType)
        throw new ServiceError(
          "invalid_argument",
          `content-type is ${JSON.stringify(type.slice(0, 100))}; send the bundle itself, as ${mediaType}`,
        );
      // Kept, because the import takes longer than the turn of a body that is parsed.
      const bytes = await parseBody(async (raw) => (typeof raw === "string" ? Buffer.from(raw) : raw));
      const run = await importBundle({ ...deps, actor: principal.actor }, path.agent_id, bundleIn(bytes));
      const agent = await deps.accounts.findAgent(run.agentId);
      return wireRun(await describer.describe(run, agent));
    },
  } satisfies ManageHandlers;
}

/** Bytes in one piece. Undefined: they are more than `maxBytes`. */
async function collected(bytes: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of bytes) {
    length += part.length;
    if (length > maxBytes) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

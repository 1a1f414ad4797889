import { type ApiResponse, jsonResponse } from "../../http/handler.ts";
import { contentDisposition, streamedAttachment } from "../../http/rest/attachment.ts";
import { listEvents } from "../../http/rest/list-events.ts";
import { pointOf } from "../../http/rest/parameter-values.ts";
import { wireFile } from "../../http/rest/wire/run.ts";
import type { RunDescriber } from "../../runs/read/describe-runs.ts";
import { findOwnRun } from "../../runs/own-run.ts";
import { type ChangedFile, findRunFile, listChangedFiles, notKept } from "../../runs/files/read-files.ts";
import type { ExtHandlers, Schemas } from "../call.ts";
import type { ExtDeps } from "../deps.ts";
import { wireProgress } from "../wire/run.ts";

/** Events and files of the runs of the caller's agent. */
export function runRecordHandlers(deps: ExtDeps, describer: RunDescriber) {
  const { runs, transfers } = deps;

  return {
    async list_events(call) {
      const run = await findOwnRun(runs, call.principal, call.path.run_id);
      return listEvents({ ...deps, describer }, run, call, {
        viewer: call.principal.agentId,
        wireRun: wireProgress,
        untilEnded: true,
      });
    },

    async list_files({ path, query, principal }) {
      const { id } = await findOwnRun(runs, principal, path.run_id);
      const files = await listChangedFiles(deps, id, query.at === undefined ? undefined : pointOf(query.at));
      return jsonResponse(200, { data: files.map(wireFile), next: null } satisfies Schemas["RunFilePage"]);
    },

    async get_file({ path, query, principal }) {
      const { id } = await findOwnRun(runs, principal, path.run_id);
      const at = query.at === undefined ? undefined : pointOf(query.at);
      const file = await findRunFile(deps, id, path.name, at);
      const response = await download(transfers, id, file);
      if (!response) throw notKept(file, at);
      return response;
    },
  } satisfies ExtHandlers;
}

/** The content of a file, or a redirect to it. Undefined: it is no longer kept. */
async function download(
  transfers: ExtDeps["transfers"],
  runId: string,
  file: ChangedFile,
): Promise<ApiResponse | undefined> {
  const { name, size } = file;
  if ("send" in transfers) {
    const content = await transfers.send(runId, file);
    return content && streamedAttachment(name, size, content);
  }
  const signed = await transfers.get(runId, file, contentDisposition(name));
  return signed && { status: 307, headers: { location: signed.url, "cache-control": "no-store" }, body: "" };
}

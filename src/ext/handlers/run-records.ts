import { jsonResponse } from "../../api/handlers/handler.ts";
import { attachment } from "../../api/rest/attachment.ts";
import { listEvents } from "../../api/rest/list-events.ts";
import { pointOf } from "../../api/rest/parameter-values.ts";
import { wireFile } from "../../api/rest/wire/run.ts";
import type { RunDescriber } from "../../runs/describe-runs.ts";
import { findOwnRun } from "../../runs/own-run.ts";
import { listChangedFiles, readRunFile } from "../../runs/read-files.ts";
import type { ExtHandlers, Schemas } from "../call.ts";
import type { ExtDeps } from "../deps.ts";
import { wireProgress } from "../wire/run.ts";

/** Events and files of the runs of the caller's agent. */
export function runRecordHandlers(deps: ExtDeps, describer: RunDescriber) {
  const { runs } = deps;
  return {
    async list_events(call) {
      const run = await findOwnRun(runs, call.principal, call.path.run_id);
      return listEvents({ ...deps, describer }, run, call, { wireRun: wireProgress, untilEnded: true });
    },

    async list_files({ path, query, principal }) {
      const { id } = await findOwnRun(runs, principal, path.run_id);
      const files = await listChangedFiles(deps, id, query.at === undefined ? undefined : pointOf(query.at));
      return jsonResponse(200, { data: files.map(wireFile), next: null } satisfies Schemas["RunFilePage"]);
    },

    async get_file({ path, query, principal }) {
      const { id } = await findOwnRun(runs, principal, path.run_id);
      const at = query.at === undefined ? undefined : pointOf(query.at);
      const { file, content } = await readRunFile(deps, id, path.name, at);
      return attachment(file.name, content);
    },
  } satisfies ExtHandlers;
}

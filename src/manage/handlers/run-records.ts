import { jsonResponse } from "../../http/handler.ts";
import { ServiceError } from "../../errors.ts";
import type { RunDescriber } from "../../runs/read/describe-runs.ts";
import { findRunHead } from "../../runs/read/find-run.ts";
import { findRunFile, listChangedFiles, notKept, readRunFile } from "../../runs/files/read-files.ts";
import { rebuildRequest } from "../../runs/read/rebuild-request.ts";
import { attachment, streamedAttachment } from "../../http/rest/attachment.ts";
import type { ManageHandlers, Schemas } from "../call.ts";
import type { ManageDeps } from "../deps.ts";
import { manageError } from "../errors.ts";
import { listEvents } from "../../http/rest/list-events.ts";
import { pointOf } from "../../http/rest/parameter-values.ts";
import { wireFile } from "../../http/rest/wire/run.ts";
import { wireEvent } from "../../http/rest/wire/event.ts";
import { wireModelRequest } from "../wire/model-request.ts";
import { wireDetail } from "../wire/run.ts";

/** Events, model requests and files of runs. */
export function runRecordHandlers(deps: ManageDeps, describer: RunDescriber) {
  const { runs, send } = deps;

  return {
    async list_events(call) {
      const run = await findRunHead(runs, call.path.run_id);
      const { live } = deps;
      return listEvents({ ...deps, describer }, run, call, {
        viewer: call.principal.actor,
        wireRun: wireDetail,
        ...(live && { live }),
      });
    },

    async get_event({ path }) {
      const { id, sequence: last } = await findRunHead(runs, path.run_id);
      const { sequence } = path;
      const [event] = sequence <= last ? await runs.listEvents(id, sequence - 1, 1) : [];
      if (event?.sequence === sequence) return jsonResponse(200, wireEvent(event));
      throw new ServiceError("step_not_found", `run ${id} has no event ${sequence}: the number of its last is ${last}`);
    },

    async get_model_request({ path, query }) {
      const { id } = await findRunHead(runs, path.run_id);
      const rebuilt = await rebuildRequest(deps, id, pointOf(query.at));
      if ("unknown" in rebuilt) throw manageError("request_unknown", rebuilt.unknown);
      return jsonResponse(200, wireModelRequest(rebuilt));
    },

    async list_files({ path, query }) {
      const { id } = await findRunHead(runs, path.run_id);
      const files = await listChangedFiles(deps, id, query.at === undefined ? undefined : pointOf(query.at));
      return jsonResponse(200, { data: files.map(wireFile), next: null } satisfies Schemas["RunFilePage"]);
    },

    async get_file({ path, query }) {
      const { id } = await findRunHead(runs, path.run_id);
      const at = query.at === undefined ? undefined : pointOf(query.at);
      if (!send) {
        const { file, content } = await readRunFile(deps, id, path.name, at);
        return attachment(file.name, content);
      }
      const file = await findRunFile(deps, id, path.name, at);
      const content = await send(id, file);
      if (!content) throw notKept(file, at);
      return streamedAttachment(file.name, file.size, content);
    },
  } satisfies ManageHandlers;
}

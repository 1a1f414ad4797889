import { starterName } from "../../accounts/starter.ts";
import type { ApiRequest, ApiResponse } from "../../http/handler.ts";
import { attachment } from "../../http/rest/attachment.ts";
import { eventHandler, fileHandler } from "../../operations/record-handlers.ts";
import type { OperatorPrincipal } from "../../accounts/operators.ts";
import type { ChangedFile } from "../../runs/files/read-files.ts";
import { wireDetail } from "../wire/run.ts";
import { ServiceError } from "../../errors.ts";
import type { RunDescriber } from "../../runs/read/describe-runs.ts";
import { findRunHead } from "../../runs/read/find-run.ts";
import { rebuildRequest } from "../../runs/read/rebuild-request.ts";
import { sentRequest } from "../../runs/read/sent-request.ts";
import type { ManageHandlers } from "../call.ts";
import type { ManageDeps } from "../deps.ts";
import { manageError } from "../manage-errors.ts";
import { pointOf } from "../../http/rest/parameter-values.ts";
import { answererNames } from "../../http/rest/answerer-names.ts";
import { wireEvent } from "../../http/rest/wire/event.ts";
import { wireModelRequest } from "../wire/model-request.ts";
import { wireSentRequest } from "../wire/sent-request.ts";

/** Events, files and model requests of runs. */
export function runRecordHandlers(deps: ManageDeps, describer: RunDescriber) {
  const { runs, live } = deps;
  const find = (_operator: OperatorPrincipal, id: string) => findRunHead(runs, id);
  const answererOf = answererNames(describer, starterName);

  return {
    ...eventHandler({ ...deps, describer }, find, ({ actor }) => ({
      viewers: [actor],
      wireRun: wireDetail,
      nameOf: starterName,
      ...(live && { live }),
    })),
    ...fileHandler(deps, find, (...file) => download(deps, ...file)),

    async get_event({ path }) {
      const { id, sequence: last } = await findRunHead(runs, path.run_id);
      const { sequence } = path;
      const [event] = sequence <= last ? await runs.listEvents(id, sequence - 1, 1) : [];
      if (event?.sequence === sequence) return wireEvent(event, undefined, await answererOf(event));
      throw new ServiceError("step_not_found", `run ${id} has no event ${sequence}: the number of its last is ${last}`);
    },

    async get_model_request({ path, query }) {
      const { id } = await findRunHead(runs, path.run_id);
      const rebuilt = await rebuildRequest(deps, id, pointOf(query.at));
      if ("unknown" in rebuilt) throw manageError("request_unknown", rebuilt.unknown);
      return wireModelRequest(rebuilt);
    },

    async get_sent_request({ path, query }) {
      const { id } = await findRunHead(runs, path.run_id);
      const sent = await sentRequest(deps, id, pointOf(query.at));
      if ("unknown" in sent) throw manageError("request_unknown", sent.unknown);
      return wireSentRequest(sent);
    },
  } satisfies ManageHandlers;
}

/** The content of a file. Undefined: it is no longer kept. */
async function download(
  deps: ManageDeps,
  request: ApiRequest,
  runId: string,
  file: ChangedFile,
): Promise<ApiResponse | undefined> {
  if (deps.send) {
    const read = await deps.send(runId, file.sha256);
    return read && attachment(request, file, read);
  }
  const content = await deps.workspace.read(runId, file.sha256);
  return content && attachment(request, file, (part) => (part ? content.subarray(part.start, part.end + 1) : content));
}

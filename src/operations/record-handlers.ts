import type { ApiRequest, ApiResponse } from "../http/handler.ts";
import { type EventsDeps, listEvents, type RunStream } from "../http/rest/list-events.ts";
import { pointOf } from "../http/rest/parameter-values.ts";
import { type ChangedFile, findRunFile, notKept } from "../runs/files/read-files.ts";
import type { Stores } from "../runs/ports.ts";
import type { Run } from "../runs/run-types.ts";
import type { RunCall } from "./run-handlers.ts";

/** Rejects with `run_not_found` for a run that the caller may not see. */
type Find<Caller> = (caller: Caller, id: string) => Promise<Run>;

/** The handler of lists and streams of events. */
export function eventHandler<Caller>(deps: EventsDeps, find: Find<Caller>, streamOf: (caller: Caller) => RunStream) {
  return {
    async list_events(call: RunCall<Caller> & Parameters<typeof listEvents>[2]): Promise<ApiResponse> {
      const run = await find(call.principal, call.path.run_id);
      return listEvents(deps, run, call, streamOf(call.principal));
    },
  };
}

/** The handler of downloads. `download`: responds with the content of a file. Undefined: the content is no longer kept. */
export function fileHandler<Caller>(
  deps: Pick<Stores, "runs" | "workspace">,
  find: Find<Caller>,
  download: (request: ApiRequest, runId: string, file: ChangedFile) => Promise<ApiResponse | undefined>,
) {
  return {
    async get_file({
      request,
      principal,
      path,
      query,
    }: RunCall<Caller> & { path: { name: string }; query: { at?: string } }): Promise<ApiResponse> {
      const { id } = await find(principal, path.run_id);
      const at = query.at === undefined ? undefined : pointOf(query.at);
      const file = await findRunFile(deps, id, path.name, at);
      const response = await download(request, id, file);
      if (!response) throw notKept(file, at);
      return response;
    },
  };
}

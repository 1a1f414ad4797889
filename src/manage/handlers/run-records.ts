import { jsonResponse } from "../../api/handlers/handler.ts";
import { ServiceError } from "../../errors.ts";
import type { RunDescriber } from "../../runs/describe-runs.ts";
import { findRunHead } from "../../runs/find-run.ts";
import { type ChangedFile, listChangedFiles, readRunFile, type RunPoint } from "../../runs/read-files.ts";
import { rebuildRequest } from "../../runs/rebuild-request.ts";
import { watchRun } from "../../runs/watch-run.ts";
import { attachment } from "../attachment.ts";
import type { Call, ManageHandlers, Schemas } from "../call.ts";
import type { ManageDeps } from "../deps.ts";
import { manageError } from "../errors.ts";
import { streamResponse } from "../event-stream.ts";
import { wireEvent } from "../wire/event.ts";
import { wireModelRequest } from "../wire/model-request.ts";

/** Events, model requests and files of runs. */
export function runRecordHandlers(deps: ManageDeps, describer: RunDescriber) {
  const { runs, streamInterval } = deps;

  return {
    async list_events(call) {
      const { path, query, request } = call;
      const { id, sequence } = await findRunHead(runs, path.run_id);
      const shape = query.max_text === undefined ? {} : { maxText: query.max_text };
      if (acceptsStream(request.headers["accept"])) {
        const after = lastReceived(call);
        const options = {
          ...(after !== undefined && { after }),
          ...(streamInterval !== undefined && { interval: streamInterval }),
        };
        const watch = (signal: AbortSignal) => watchRun({ ...deps, describer }, id, { ...options, signal });
        const isOpen = streamInterval !== undefined;
        return streamResponse(watch, { ...shape, isOpen, requestId: request.id, runId: id });
      }
      const { after, limit } = query;
      const [unnumbered, events] = await Promise.all([
        after === 0 ? runs.listUnnumberedEvents(id) : [],
        after < sequence ? runs.listEvents(id, after, limit) : [],
      ]);
      const last = events.at(-1)?.sequence ?? sequence;
      const data = [...unnumbered, ...events].map((event) => wireEvent(event, shape.maxText));
      const next = last < sequence ? String(last) : null;
      return jsonResponse(200, { data, next } satisfies Schemas["EventPage"]);
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
      const { file, content } = await readRunFile(deps, id, path.name, at);
      return attachment(file.name, content);
    },
  } satisfies ManageHandlers;
}

function acceptsStream(accept = ""): boolean {
  return /(^|,)\s*text\/event-stream\s*(;|,|$)/i.test(accept);
}

/**
 * Number of the last event that the client of a stream has. Undefined: none, so that it also gets the events of earlier
 * versions, which have no number. 0 as `Last-Event-ID`: only those.
 */
function lastReceived({ request, query }: Call<"list_events">): number | undefined {
  const id = request.headers["last-event-id"];
  if (id === undefined) return query.after > 0 ? query.after : undefined;
  if (/^\d{1,9}$/.test(id)) return Number(id);
  throw new ServiceError(
    "invalid_argument",
    `Last-Event-ID is ${JSON.stringify(id.slice(0, 40))}; expected the number of the last event that was received`,
  );
}

/** `TURN.STEP`. */
function pointOf(at: string): RunPoint {
  const [turn = 0, step = 0] = at.split(".").map(Number);
  return { turn, step };
}

function wireFile({ name, size, sha256, changedAt }: ChangedFile): Schemas["RunFile"] {
  const changed_at_step = changedAt ? `${changedAt.turn}.${changedAt.step}` : null;
  return { name, size, sha256: sha256 ?? null, changed_at_step };
}

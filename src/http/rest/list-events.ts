import type { NamedStarter } from "../../accounts/starter.ts";
import type { OpenCounts } from "../open-counts.ts";
import { ServiceError } from "../../errors.ts";
import type { RunDescriber, RunDetail } from "../../runs/read/describe-runs.ts";
import type { Runs } from "../../runs/ports.ts";
import type { Run } from "../../runs/types.ts";
import { type WatchOptions, watchRun } from "../../runs/read/watch-run.ts";
import { type ApiRequest, type ApiResponse, jsonResponse } from "../handler.ts";
import { streamResponse } from "./event-stream.ts";
import type { SharedSchemas } from "./schemas/types.ts";
import { answererNames, type AnswererOf } from "./answerer-names.ts";
import { wireEvent } from "./wire/event.ts";

/** What lists and streams of events need. */
export interface EventsDeps {
  runs: Runs;
  describer: RunDescriber;
  now: () => number;
  /** Poll interval of event streams, in milliseconds. Absent: a stream ends after the recorded events. */
  streamInterval?: number;
  /** Milliseconds after which an open stream ends. Default: 5 minutes. */
  streamMilliseconds?: number;
  /** Open streams by agent, or by operator. Absent: not limited. */
  streams?: OpenCounts;
  /** Absent: streams have no text of answers in progress. */
  texts?: WatchOptions["texts"];
}

interface EventsCall {
  request: ApiRequest;
  query: { after: number; limit: number; max_text?: number };
}

/**
 * How an API streams a run. `wireRun`: the run as it sends it. `viewer`: the agent or operator that it counts for. `nameOf`: the
 * name of who gave an answer, as far as it is for the caller.
 */
export interface RunStream extends Pick<WatchOptions, "untilEnded" | "live"> {
  viewer: string;
  wireRun: (detail: RunDetail) => object;
  nameOf: (starter: NamedStarter) => string | null;
}

/** The events of a run: a page, or a stream for a client that accepts one. */
export async function listEvents(
  deps: EventsDeps,
  run: Run,
  call: EventsCall,
  { viewer, wireRun, nameOf, ...ending }: RunStream,
): Promise<ApiResponse> {
  const { request, query } = call;
  const answererOf = answererNames(deps.describer, nameOf);
  if (!acceptsStream(request.headers["accept"])) return eventPage(deps.runs, run, query, answererOf);
  const { streams } = deps;
  const exceeded = streams?.exceeded(viewer);
  if (exceeded !== undefined) throw tooManyStreams(exceeded);
  const { streamInterval: interval, streamMilliseconds: longest, texts } = deps;
  const after = lastReceived(call);
  const options = {
    ...ending,
    ...(after !== undefined && { after }),
    ...(interval !== undefined && { interval }),
    ...(texts && { texts }),
  };
  return streamResponse((signal) => watchRun(deps, run.id, { ...options, signal }), {
    ...(streams && { count: () => streams.open(viewer) }),
    wireRun,
    answererOf,
    isOpen: interval !== undefined,
    longest,
    hasTexts: texts !== undefined,
    requestId: request.id,
    runId: run.id,
    ...(query.max_text !== undefined && { maxText: query.max_text }),
  });
}

function tooManyStreams(limit: number): ServiceError {
  const message = `too many requests: ${limit} event streams are open, which is the limit; close some, or read events in pages`;
  return new ServiceError("too_many_requests", message, { retryAfterSeconds: 5 });
}

async function eventPage(
  runs: Runs,
  { id, sequence }: Run,
  { after, limit, max_text: maxText }: EventsCall["query"],
  answererOf: AnswererOf,
): Promise<ApiResponse> {
  const [unnumbered, events] = await Promise.all([
    after === 0 ? runs.listUnnumberedEvents(id) : [],
    after < sequence ? runs.listEvents(id, after, limit) : [],
  ]);
  const last = events.at(-1)?.sequence ?? sequence;
  const all = [...unnumbered, ...events];
  const data = await Promise.all(all.map(async (event) => wireEvent(event, maxText, await answererOf(event))));
  const next = last < sequence ? String(last) : null;
  return jsonResponse(200, { data, next } satisfies SharedSchemas["EventPage"]);
}

function acceptsStream(accept = ""): boolean {
  return /(^|,)\s*text\/event-stream\s*(;|,|$)/i.test(accept);
}

/**
 * Number of the last event that the client of a stream has. Undefined: none, so that it also gets the events of earlier
 * versions, which have no number. 0 as `Last-Event-ID`: only those.
 */
function lastReceived({ request, query }: EventsCall): number | undefined {
  const id = request.headers["last-event-id"];
  if (id === undefined) return query.after > 0 ? query.after : undefined;
  if (/^\d{1,9}$/.test(id)) return Number(id);
  throw new ServiceError(
    "invalid_argument",
    `Last-Event-ID is ${JSON.stringify(id.slice(0, 40))}; expected the number of the last event that was received`,
  );
}

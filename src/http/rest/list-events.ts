import type { Owners } from "../../async/scheduler.ts";
import type { NamedStarter } from "../../accounts/starter.ts";
import type { OpenCounts } from "../open-counts.ts";
import { ServiceError } from "../../errors.ts";
import type { RunDescriber, RunDetail } from "../../runs/read/describe-runs.ts";
import type { Runs } from "../../runs/ports.ts";
import type { Run } from "../../runs/run-types.ts";
import { type WatchOptions, watchRun } from "../../runs/read/watch-run.ts";
import { type ApiRequest, type ApiResponse, jsonResponse } from "../handler.ts";
import { streamResponse } from "./event-stream.ts";
import type { SharedSchemas } from "./schemas/schema-types.ts";
import { answererNames, type AnswererOf } from "./answerer-names.ts";
import { wireEvent } from "./wire/event.ts";

/** What lists and streams of events need. */
export interface EventsDeps {
  runs: Runs;
  describer: RunDescriber;
  now: () => number;
  /** How often an event stream reads new events, in milliseconds. Absent: a stream ends after the recorded events. */
  streamInterval?: number;
  /** Milliseconds after which an open stream ends. Default: 5 minutes. */
  streamMilliseconds?: number;
  /** Open streams by organization and agent, or by operator. Absent: not limited. */
  streams?: OpenCounts;
  /** Absent: streams have no text of answers in progress. */
  texts?: WatchOptions["texts"];
}

/**
 * Open streams of an organization or operator that look as often as they should. Of more, each looks less often: 500 take a
 * twelfth of a core, and 2,000 kept requests of others waiting for a second on a busy machine.
 */
const oftenLooking = 500;

interface EventsCall {
  request: ApiRequest;
  query: { after: number; limit: number; max_text?: number };
}

/**
 * How an API streams a run. `wireRun`: the run as it sends it. `viewers`: whom it counts for. `nameOf`: the
 * name of who gave an answer, as far as it is for the caller.
 */
export interface RunStream extends Pick<WatchOptions, "untilEnded" | "live"> {
  viewers: Owners;
  wireRun: (detail: RunDetail) => object;
  nameOf: (starter: NamedStarter) => string | null;
}

/** The events of a run: a page, or a stream for a client that accepts one. */
export async function listEvents(
  deps: EventsDeps,
  run: Run,
  call: EventsCall,
  { viewers, wireRun, nameOf, ...ending }: RunStream,
): Promise<ApiResponse> {
  const { request, query } = call;
  const answererOf = answererNames(deps.describer, nameOf);
  if (!acceptsStream(request.headers["accept"])) return eventPage(deps.runs, run, query, answererOf);
  const { streams } = deps;
  const exceeded = streams?.exceeded(viewers);
  if (exceeded !== undefined) throw tooManyStreams(exceeded);
  const { streamInterval, streamMilliseconds: longest, texts } = deps;
  const [largest] = viewers;
  const open = (): number => (largest === undefined ? 0 : (streams?.count(largest) ?? 0));
  const after = lastReceived(call);
  const options = {
    ...ending,
    ...(after !== undefined && { after }),
    ...(streamInterval !== undefined && { interval: () => streamInterval * Math.max(1, open() / oftenLooking) }),
    ...(texts && { texts }),
  };
  return streamResponse((signal) => watchRun(deps, run.id, { ...options, signal }), {
    ...(streams && { count: () => streams.open(viewers) }),
    wireRun,
    answererOf,
    isOpen: streamInterval !== undefined,
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
  const events = after < sequence ? await runs.listEvents(id, after, limit) : [];
  const last = events.at(-1)?.sequence ?? sequence;
  const data = await Promise.all(events.map(async (event) => wireEvent(event, maxText, await answererOf(event))));
  const next = last < sequence ? String(last) : null;
  return jsonResponse(200, { data, next } satisfies SharedSchemas["EventPage"]);
}

/** Whether a client asks for a stream. */
export function acceptsStream(accept = ""): boolean {
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

import { ApiError, call, send } from "../api/client.ts";
import { maxText, type OpenStream, type StreamEvent, streamEvents } from "../api/stream.ts";
import type { RunApi, StreamCallbacks } from "./api.ts";

/** The management API of one run. */
export function runApi(runId: string): RunApi {
  const run = { run_id: runId };
  const openStream: OpenStream = (headers, signal) =>
    send("list_events", { ...run, max_text: maxText }, { headers, signal });
  return {
    detail: (signal) => call("get_run", run, { signal }),
    events: (after, signal) => call("list_events", { ...run, after, limit: 1_000, max_text: maxText }, { signal }),
    wholeEvents: (after) => call("list_events", { ...run, after, limit: 100 }),
    event: (sequence) => call("get_event", { ...run, sequence }),
    request: (at) => call("get_model_request", { ...run, at }),
    sent: (at) => call("get_sent_request", { ...run, at }),
    tokens: async () => (await call("list_run_tokens", run)).data,
    createToken: (expires_in) => call("create_run_token", run, { body: { expires_in } }),
    revokeToken: (token_id) => call("revoke_run_token", { ...run, token_id }),
    files: async (at) => (await call("list_files", { ...run, at })).data,
    file: async (name, at) => (await send("get_file", { ...run, name, at })).blob(),
    stream: (after, on, signal) => streamTo(on, streamEvents(openStream, after, signal)),
    input: (input_text) => call("create_input", run, { body: { input_text } }),
    stop: () => call("stop_run", run),
    remove: () => call("delete_run", run),
  };
}

/** Calls back for each event of a stream. Resolves when it ends. */
export async function streamTo(on: StreamCallbacks, stream: AsyncIterable<StreamEvent>): Promise<void> {
  for await (const { event, data } of stream) {
    // A later release can send others.
    (on[event] as ((data: unknown) => void) | undefined)?.(data);
  }
}

/** Whether the error says that there is no such run. */
export function isMissing(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 404 || error.status === 422);
}

import { ApiError, change, get, send } from "../api/client.ts";
import { streamEvents } from "../api/stream.ts";
import type { EventPage, RunApi, RunDetail, RunFile } from "./api.ts";
import type { CallOutput, RunEvent } from "./model/events.ts";

/** Characters of a text that come with the list of events. Longer ones are loaded when they are shown. */
const maxText = 2_048;

/** The management API of one run. */
export function runApi(runId: string): RunApi {
  const path = `/runs/${encodeURIComponent(runId)}`;
  return {
    detail: (signal) => get<RunDetail>(path, { signal }),
    events: (after, signal) =>
      get<EventPage>(`${path}/events`, { query: { after, limit: 1_000, max_text: maxText }, signal }),
    event: (sequence) => get<RunEvent>(`${path}/events/${sequence}`),
    request: (at) => get(`${path}/request`, { query: { at } }),
    files: async (at) => (await get<{ data: RunFile[] }>(`${path}/files`, { query: { at } })).data,
    file: async (name, at) =>
      (await send("GET", `${path}/files/${encodeURIComponent(name)}`, { query: { at } })).blob(),
    async stream(after, on, signal) {
      for await (const { event, data } of streamEvents(`${path}/events?max_text=${maxText}`, after, signal)) {
        if (event === "run") on.detail(JSON.parse(data) as RunDetail);
        else if (event === "event") on.event(JSON.parse(data) as RunEvent);
        else if (event === "output") on.output(JSON.parse(data) as CallOutput);
      }
    },
    input: (text) => change("POST", `${path}/input`, { text }),
    stop: () => change("POST", `${path}/stop`),
    remove: () => change("DELETE", path),
  };
}

/** Whether the error says that there is no such run. */
export function isMissing(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 404 || error.status === 422);
}

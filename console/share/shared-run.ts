import { ApiError, errorOf } from "../api/client.ts";
import { maxText, type OpenStream, streamEvents } from "../api/stream.ts";
import type { RunDetail, Schemas } from "../api/types.ts";
import type { RunFile, RunReader } from "../run/api.ts";
import { streamTo } from "../run/run-api.ts";

/** The id of the run that a token reads. Undefined: it is no token of a run. */
export function runIdOf(token: string): string | undefined {
  const [, ...parts] = /^rt_(.{8})(.{4})(.{4})(.{4})(.{12})[0-9A-Za-z]{49}$/.exec(token) ?? [];
  return parts.length === 0 || !/^[0-9a-f]+$/.test(parts.join("")) ? undefined : parts.join("-");
}

/** Reads a run over the extension API, with the token of the run. */
export function sharedRun(runId: string, token: string): RunReader {
  const base = `/ext/v1/runs/${runId}`;

  async function get(path: string, headers: Record<string, string> = {}, signal?: AbortSignal): Promise<Response> {
    const authorization = `Bearer ${token}`;
    const response = await fetch(base + path, {
      headers: { ...headers, authorization },
      ...(signal && { signal }),
    }).catch((error: unknown) => {
      if (signal?.aborted) throw error;
      throw new ApiError(0, "unreachable", "The service does not respond.");
    });
    if (response.ok) return response;
    throw await errorOf(response);
  }
  const json = async <Body>(path: string, signal?: AbortSignal): Promise<Body> =>
    (await (await get(path, {}, signal)).json()) as Body;
  const events = (query: string, signal?: AbortSignal) => json<Schemas["EventPage"]>(`/events?${query}`, signal);
  const openStream: OpenStream = (headers, shown) => get(`/events?max_text=${maxText}`, headers, shown);

  return {
    detail: async (signal) => detailOf(await json<SharedDetail>("", signal)),
    events: (after, signal) => events(`after=${after}&limit=1000&max_text=${maxText}`, signal),
    wholeEvents: (after) => events(`after=${after}&limit=100`),
    async event(sequence) {
      const [event] = (await events(`after=${sequence - 1}&limit=1`)).data;
      if (event) return event;
      throw new ApiError(404, "step_not_found", "The event does not exist.");
    },
    files: async (place) => (await json<{ data: RunFile[] }>(`/files${atPlace(place)}`)).data,
    file: async (name, place) => (await get(`/files/${encodeURIComponent(name)}${atPlace(place)}`)).blob(),
    stream: (after, on, signal) =>
      streamTo({ ...on, run: (shared) => on.run(detailOf(shared)) }, streamEvents(openStream, after, signal)),
  };
}

function atPlace(place: string | undefined): string {
  return place === undefined ? "" : `?at=${place}`;
}

type OperatorsOnly =
  | "agent_id"
  | "agent_name"
  | "organization_id"
  | "started_by"
  | "imported_from"
  | "agent_version"
  | "environment"
  | "agent_status";

/** What the extension API shows of a run: nothing of its agent and organization. */
type SharedDetail = Omit<RunDetail, OperatorsOnly>;

function detailOf(shared: SharedDetail): RunDetail {
  return {
    ...shared,
    agent_id: "",
    agent_name: null,
    organization_id: "",
    started_by: null,
    imported_from: null,
    agent_version: null,
    environment: null,
    agent_status: null,
  };
}

import type { ApiRequest } from "../../../src/http/handler.ts";
import type { LocalOptions } from "../options.ts";

/** What the thread of records is started with. */
export interface ThreadData {
  options: LocalOptions;
  serviceUrl: string | null;
}

/** A request as the thread handles it, with its whole body as JSON. Empty: none. */
export interface ForwardedRequest extends Pick<ApiRequest, "id" | "method" | "path" | "headers"> {
  query: string;
  body: string;
}

/** `next`: asks for the next part of the body. `end`: the client is gone. */
export type ToThread = { id: number } & ({ request: ForwardedRequest } | { ask: "next" | "end" });

/**
 * `isWhole`: `part` is the whole body. Otherwise, its parts follow, each when it is asked for. `part` of null: the last has been
 * sent. `failed`: the body cannot be continued. `start`: a turn that begins.
 */
export type FromThread =
  | { id: number; status: number; headers: Record<string, string>; part: Uint8Array; isWhole: boolean }
  | { id: number; part: Uint8Array | null }
  | { id: number; failed: string }
  | { start: [runId: string, turn: number] };

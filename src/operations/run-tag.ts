import { createHash } from "node:crypto";
import type { ApiRequest, ApiResponse } from "../http/handler.ts";
import { WithHeaders } from "../http/rest/call.ts";

// A weak ETag identifies a description of a run: by a hash of what is read first, the run's head, and by when the description
// changes by itself, as "starting" becomes "model_call". So the same response can be recognized by the head alone.

/** A description of a run, as a response has it. */
export interface TaggedBody<Json> {
  json: Json;
  /** Milliseconds since 1970: when it changes although the head does not. Absent: never. */
  changesAt?: number | undefined;
  /** Whether other things than the head and time can change it, so that it has no ETag. */
  isUntagged?: boolean;
}

interface TagOptions {
  request: Pick<ApiRequest, "headers">;
  /** What the description depends on: the run's head, and what else is read for it. */
  basis: unknown;
  now: () => number;
}

/** Responds 304 without describing the run if the client has the description (`If-None-Match`), and else with it and its ETag. */
export async function taggedResponse<Json>(
  { request, basis, now }: TagOptions,
  describe: () => Promise<TaggedBody<Json>>,
): Promise<WithHeaders<Json> | ApiResponse> {
  const hash = createHash("sha256").update(JSON.stringify(basis)).digest("base64url").slice(0, 22);
  const known = request.headers["if-none-match"]?.match(tag)?.find((each) => holds(each, hash, now()));
  if (known !== undefined) return { status: 304, headers: { etag: known }, body: "" };
  const { json, changesAt, isUntagged = false } = await describe();
  const until = changesAt === undefined ? "" : `.${changesAt}`;
  return new WithHeaders(json, isUntagged ? {} : { etag: `W/"${hash}${until}"` });
}

const tag = /W\/"[\w-]+(?:\.\d+)?"/g;

function holds(each: string, hash: string, now: number): boolean {
  const [found, until] = each.slice('W/"'.length, -1).split(".");
  return found === hash && (until === undefined || now < Number(until));
}

import type { ReceivedResponse, SentRequest } from "../../agent/model.ts";
import type { SentCall } from "../../runs/read/sent-request.ts";
import type { Schemas } from "../call.ts";

/** A sent request with all attempts of its step. */
export function wireSentRequest({ request, exact, exchange, failed }: SentCall): Schemas["SentRequest"] {
  const { sent = [], received } = exchange;
  const ofFailed = failed.flatMap((entry) => (entry.sent ?? []).map((each) => wireAttempt(each, entry.failure.title)));
  const isFailed = failed.some((entry) => entry === exchange);
  return {
    ...request,
    exact: exact ?? null,
    attempts: [...ofFailed, ...(isFailed ? [] : sent.map((each) => wireAttempt(each, null)))],
    response: received ? wireResponse(received) : null,
  };
}

function wireAttempt(sent: SentRequest, failure: string | null): Schemas["SentAttempt"] {
  const { sha256, bytes, status, requestId, compat, callsAsText, withoutFiles, withoutCachePoints } = sent;
  return {
    sha256,
    bytes,
    status: status ?? null,
    request_id: requestId ?? null,
    compat: { ...compat },
    calls_as_text: callsAsText === true,
    without_files: withoutFiles === true,
    without_cache_points: withoutCachePoints === true,
    failure,
  };
}

function wireResponse({ id, model, reason, usage }: ReceivedResponse): Schemas["ProviderResponse"] {
  return { id: id ?? null, model: model ?? null, finish_reason: reason ?? null, usage: usage ? { ...usage } : null };
}

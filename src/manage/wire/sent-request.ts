import type { ReceivedResponse, SentRequest } from "../../agent/model.ts";
import type { SentCall } from "../../runs/read/sent-request.ts";
import type { Schemas } from "../call.ts";
import { wire } from "./by-schema.ts";

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
  const { callsAsText = false, withoutFiles = false, withoutCachePoints = false } = sent;
  const flags = { callsAsText, withoutFiles, withoutCachePoints };
  return wire("SentAttempt", { ...sent, compat: { ...sent.compat }, ...flags, failure: failure ?? undefined });
}

function wireResponse({ reason, usage, ...response }: ReceivedResponse): Schemas["ProviderResponse"] {
  return wire("ProviderResponse", { ...response, finishReason: reason, usage: usage && { ...usage } });
}

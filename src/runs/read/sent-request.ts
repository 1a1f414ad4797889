import { hash } from "node:crypto";
import type { WireRequest } from "../../agent/models/wire-request.ts";
import type { Stores } from "../ports.ts";
import { rebuildRequest, type RebuiltRequest } from "./rebuild-request.ts";

/** The HTTP request of a model call as it was sent, and what came back. */
export interface SentCall extends Pick<RebuiltRequest, "exchange" | "failed"> {
  request: WireRequest;
  /** Whether the body is the one that was sent, by its SHA-256. Undefined: an earlier release did not record that. */
  exact?: boolean;
}

/** Bytes of the longest body that is rebuilt: answers of Lambda functions have at most 6 MB. */
const maxBytes = 4_000_000;

/**
 * Rebuilds the HTTP request of a step from the run's record. The form in which the server accepted it is recorded, too.
 * `cacheKey`: of the provider's cache; default: the id of the run. `unknown`: why it cannot be rebuilt, as a sentence. Throws if the run has no such step.
 */
export async function sentRequest(
  stores: Pick<Stores, "runs" | "configurations" | "workspace">,
  runId: string,
  at: { turn: number; step: number },
  cacheKey = runId,
): Promise<SentCall | { unknown: string }> {
  const rebuilt = await rebuildRequest(stores, runId, at);
  if ("unknown" in rebuilt) return rebuilt;
  const { request, asked, exchange, failed } = rebuilt;
  const { provider, choice } = asked;
  const last = exchange.sent?.at(-1);
  if (last && last.bytes > maxBytes) return { unknown: tooLarge(last.bytes) };
  if (!provider) return { unknown: "The turn ran on no model." };
  const readAttachment = ({ sha256 }: { sha256?: string }) =>
    sha256 === undefined ? Promise.resolve(undefined) : stores.workspace.read(runId, sha256);
  const form = last ? { ...last, compat: last.compat ?? {} } : {};
  const { wireRequest } = await import("../../agent/models/wire-request.ts"); // loads the SDK of the providers
  const sent = await wireRequest(provider, choice.model, { ...request, readAttachment, cacheKey }, form);
  if (!sent) return { unknown: "The demo model runs in the service itself and is sent no request." };
  const bytes = Buffer.byteLength(sent.body);
  if (bytes > maxBytes) return { unknown: tooLarge(bytes) };
  return { request: sent, exchange, failed, ...(last && { exact: hash("sha256", sent.body) === last.sha256 }) };
}

function tooLarge(bytes: number): string {
  return `The body has ${bytes} bytes; at most ${maxBytes} are rebuilt. The messages without attachments are in the model request.`;
}

import { parseExact } from "../json.ts";
import type { Delivery } from "../runs/deliveries.ts";
import type { Run } from "../runs/run-types.ts";
import type { ShownState } from "../runs/status.ts";
import type { ReportedCall } from "./waiting-calls.ts";
import { signatureHeader } from "./signature.ts";

/** Body and headers of a POST. */
export interface WebhookRequest {
  body: string;
  headers: Record<string, string>;
}

/**
 * What a message says about its run. `result`: the output of the turn, if it is a result that fits its schema. `calls`: those that
 * wait for answers.
 */
export type Reported = Pick<Run, "labels"> & { result?: string | undefined; calls?: ReportedCall[] | undefined };

/** The request that reports a delivery. `secrets`: those that sign it. `at`: the time of the attempt, in milliseconds. */
export function webhookRequest(
  delivery: Delivery,
  { labels = {}, result, calls }: Reported,
  secrets: string[],
  at: number,
): WebhookRequest {
  const { messageId: id, type, runId, agentId, status, turn } = delivery;
  const body = JSON.stringify({
    type,
    timestamp: new Date(delivery.at).toISOString(),
    data: {
      run_id: runId,
      agent_id: agentId,
      status,
      ...(type === "run.waiting" && { state: "waiting" satisfies ShownState }),
      turn,
      labels,
      ...(result !== undefined && { result: parseExact(result) }),
      ...(calls && { open_calls: calls.map(reportedCall) }),
    },
  });
  const timestamp = Math.floor(at / 1_000);
  return {
    body,
    headers: {
      "content-type": "application/json",
      "user-agent": "agent-run-service",
      "webhook-id": id,
      "webhook-timestamp": String(timestamp),
      "webhook-signature": signatureHeader(secrets, { id, timestamp, body }),
    },
  };
}

/** A call with the fields of the APIs. */
function reportedCall({ id, kind, name, arguments: shown, argumentsHash, since, until }: ReportedCall) {
  const times = { since: new Date(since).toISOString(), until: new Date(until).toISOString() };
  return { id, kind, name, arguments: shown, arguments_sha256: argumentsHash, ...times };
}

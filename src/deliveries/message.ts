import { parseExact } from "../json.ts";
import type { Delivery } from "../runs/deliveries.ts";
import type { Run } from "../runs/types.ts";
import { signatureHeader } from "./signature.ts";

/** Body and headers of a POST. */
export interface WebhookRequest {
  body: string;
  headers: Record<string, string>;
}

/** What a message says about its run. `result`: the output of the turn, if it is a result that fits its schema. */
export type Reported = Pick<Run, "labels"> & { result?: string | undefined };

/** The request that reports a delivery. `secrets`: those that sign it. `at`: the time of the attempt, in milliseconds. */
export function webhookRequest(
  delivery: Delivery,
  { labels = {}, result }: Reported,
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
      turn,
      labels,
      ...(result !== undefined && { result: parseExact(result) }),
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

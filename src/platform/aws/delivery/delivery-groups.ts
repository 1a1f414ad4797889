import { createHash } from "node:crypto";
import type { Delivery } from "../../../runs/deliveries.ts";

/**
 * The messages that may delay each other: those of one agent to one endpoint, or to one host of runs' own URLs. A hash, because
 * SQS shows it to everyone who may look at the queue, and accepts 128 characters.
 */
export function groupOf({ agentId, destination, endpointId = destination }: Delivery): string {
  const key = JSON.stringify(endpointId === undefined ? [agentId] : [agentId, endpointId]);
  return createHash("sha256").update(key).digest("hex");
}

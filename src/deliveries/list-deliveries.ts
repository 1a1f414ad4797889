import { findAgent } from "../accounts/agents/agents.ts";
import { decodePlace, encodePlace } from "../runs/read/cursor.ts";
import type { Delivery } from "../runs/deliveries.ts";
import type { Stores } from "../runs/ports.ts";

/** Reads of the store for one page. An endpoint with few deliveries among many gets a page that is not full. */
const maxReads = 21;

/** Deliveries of an agent, newest first. With `cursor`, there are older ones. */
export interface ListedDeliveries {
  deliveries: Delivery[];
  cursor?: string;
}

/**
 * Lists the deliveries of an agent, newest first, at most `limit`. `cursor`: of the page before. `endpointId`: only deliveries to
 * this endpoint; `first`: only those to the first.
 */
export async function listDeliveries(
  { accounts, deliveries }: Pick<Stores, "accounts" | "deliveries">,
  agentId: string,
  { limit, cursor, endpointId }: { limit: number; cursor?: string | undefined; endpointId?: string | undefined },
): Promise<ListedDeliveries> {
  const { id } = await findAgent(accounts, agentId);
  const place = cursor === undefined ? undefined : decodePlace(cursor);
  const of = { agentId: id, ...(endpointId !== undefined && { endpointId }) };
  const found: Delivery[] = [];
  let after = place && { at: place.time, id: place.id };
  let reads = 0;
  // DynamoDB filters what it has read, so that a read can return fewer deliveries than asked for.
  do {
    const page = await deliveries.list({ ...of, ...(after && { after }), limit: limit - found.length });
    found.push(...page.deliveries);
    after = page.next;
  } while (after && found.length < limit && ++reads < maxReads);
  return { deliveries: found, ...(after && { cursor: encodePlace({ time: after.at, id: after.id }) }) };
}

import { findAgent } from "../accounts/agents.ts";
import { decodePlace, encodePlace } from "../runs/read/cursor.ts";
import type { Delivery, DeliveryPage } from "../runs/deliveries.ts";
import type { Stores } from "../runs/ports.ts";

/** Reads of a page after the first, at most: a page of an endpoint with few deliveries among many can be short. */
const maxReads = 20;

/** Deliveries of an agent, newest first. With `cursor`, there are older ones. */
export interface ListedDeliveries {
  deliveries: Delivery[];
  cursor?: string;
}

/**
 * Lists the deliveries of an agent, newest first, at most `limit`. `cursor`: of the page before. `endpointId`: only those to this
 * endpoint, of its webhook; `first`: to the first.
 */
export async function listDeliveries(
  { accounts, deliveries }: Pick<Stores, "accounts" | "deliveries">,
  agentId: string,
  { limit, cursor, endpointId }: { limit: number; cursor?: string | undefined; endpointId?: string | undefined },
): Promise<ListedDeliveries> {
  const { id } = await findAgent(accounts, agentId);
  const place = cursor === undefined ? undefined : decodePlace(cursor);
  const after = place && { at: place.time, id: place.id };
  const of = { agentId: id, ...(endpointId !== undefined && { endpointId }) };
  const page: DeliveryPage = await deliveries.list({ ...of, ...(after && { after }), limit });
  // On AWS, a filter is applied to what was read.
  for (let more = maxReads; more > 0 && page.next && page.deliveries.length < limit; more--) {
    const rest = await deliveries.list({ ...of, after: page.next, limit: limit - page.deliveries.length });
    page.deliveries.push(...rest.deliveries);
    if (rest.next) page.next = rest.next;
    else delete page.next;
  }
  const { deliveries: found, next } = page;
  return { deliveries: found, ...(next && { cursor: encodePlace({ time: next.at, id: next.id }) }) };
}

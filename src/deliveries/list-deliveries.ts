import { findAgent } from "../accounts/agents.ts";
import { decodePlace, encodePlace } from "../runs/read/cursor.ts";
import type { Delivery } from "../runs/deliveries.ts";
import type { Stores } from "../runs/ports.ts";

/** Deliveries of an agent, newest first. With `cursor`, there are older ones. */
export interface ListedDeliveries {
  deliveries: Delivery[];
  cursor?: string;
}

/** Lists the deliveries of an agent, newest first, at most `limit`. `cursor`: of the page before. */
export async function listDeliveries(
  { accounts, deliveries }: Pick<Stores, "accounts" | "deliveries">,
  agentId: string,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<ListedDeliveries> {
  const { id } = await findAgent(accounts, agentId);
  const place = cursor === undefined ? undefined : decodePlace(cursor);
  const after = place && { at: place.time, id: place.id };
  const { next, ...page } = await deliveries.list({ agentId: id, ...(after && { after }), limit });
  return { ...page, ...(next && { cursor: encodePlace({ time: next.at, id: next.id }) }) };
}

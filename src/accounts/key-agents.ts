import type { ApiKey } from "./account-types.ts";

/** The agents of a key, those included that were deleted. */
export type KeyAgents = Pick<ApiKey, "agentId" | "moreAgents" | "deletedAgents">;

/** Agents of one key. A list of runs reads those of each. */
export const maxKeyAgents = 20;

/** The agents of a key that are not deleted, its first one first. */
export function agentsOf({ agentId, moreAgents = [], deletedAgents = [] }: KeyAgents): string[] {
  return [agentId, ...moreAgents].filter((id) => !deletedAgents.includes(id));
}

/** Whether a key is one of an agent that is not deleted. */
export function hasAgent({ agentId, moreAgents, deletedAgents }: KeyAgents, id: string): boolean {
  return (id === agentId || moreAgents?.includes(id) === true) && deletedAgents?.includes(id) !== true;
}

/** The key after an agent of it was deleted. It ends with the last one. */
export function withoutAgent(key: ApiKey, id: string): ApiKey {
  if (key.agentDeleted || !hasAgent(key, id)) return key;
  if (agentsOf(key).length === 1) return { ...key, enabled: false, agentDeleted: true };
  return { ...key, deletedAgents: [...(key.deletedAgents ?? []), id] };
}

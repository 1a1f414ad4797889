import { signal } from "@preact/signals";
import { allPages, call } from "../api/client.ts";
import type { AgentSummary } from "../api/types.ts";

/** All agents that are not deleted, for choices and names. Undefined until they are read. */
export const agents = signal<AgentSummary[] | undefined>(undefined);

export async function readAgents(): Promise<void> {
  const all = await allPages((cursor) => call("list_agents", { cursor }));
  agents.value = all.filter(({ status }) => status !== "deleted");
}

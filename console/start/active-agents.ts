import type { AgentSummary } from "../api/types.ts";
import { agents } from "../state/agents.ts";
import { organization } from "../state/organization.ts";

/** The agents of the chosen organization that accept runs. */
export function activeAgents(): AgentSummary[] {
  const owner = organization.value?.id;
  const all = agents.value ?? [];
  return all.filter((agent) => agent.status === "active" && (owner === undefined || owner === agent.organization_id));
}

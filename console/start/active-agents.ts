import type { AgentSummary } from "../api/types.ts";
import { agents } from "../state/agents.ts";
import { organization } from "../state/organization.ts";
import { lastAgents } from "./last-agents.ts";

/** The agents of the chosen organization that accept runs: those that were last used here, then the others by name. */
export function activeAgents(): AgentSummary[] {
  const owner = organization.value?.id;
  const all = agents.value ?? [];
  const active = all.filter(
    (agent) => agent.status === "active" && (owner === undefined || owner === agent.organization_id),
  );
  const used = lastAgents().flatMap((id) => active.find((agent) => agent.id === id) ?? []);
  return [...used, ...active.filter((agent) => !used.includes(agent))];
}

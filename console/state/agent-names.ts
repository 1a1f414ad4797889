import type { AgentSummary } from "../api/types.ts";
import { agents } from "./agents.ts";

/** The names that several agents have. */
export function ambiguousNames(choices: Pick<AgentSummary, "name">[]): Set<string> {
  const byName = Map.groupBy(choices, ({ name }) => name);
  return new Set([...byName].flatMap(([name, { length }]) => (length > 1 ? name : [])));
}

/** Names of agents in a choice: those that several have come with the beginning of the id. */
export function agentNames(choices: Pick<AgentSummary, "id" | "name">[]): Map<string, string> {
  const ambiguous = ambiguousNames(choices);
  return new Map(choices.map(({ id, name }) => [id, ambiguous.has(name) ? `${name} (${id.slice(0, 8)})` : name]));
}

/** The agents of an organization, or all, as values and names of a choice. */
export function agentChoices(organizationId: string | undefined): [id: string, name: string][] {
  const all = agents.value ?? [];
  return [...agentNames(all.filter((each) => (organizationId ?? each.organization_id) === each.organization_id))];
}

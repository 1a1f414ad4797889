import type { AgentSummary } from "../api/types.ts";

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

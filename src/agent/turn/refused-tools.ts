import type { ModelFailure, ToolDefinition } from "../model.ts";
import type { NotedTool } from "./tool-notes.ts";
import type { TurnState } from "./turn-types.ts";

/** Tools that a turn leaves out one after the other before it fails: each costs a call that is not answered. */
const maxRefused = 10;

/** The tools of MCP servers that a failure names. Without them, the model is asked again: others have to be repaired. */
export function newlyRefused({ ports, refusing = [] }: TurnState, { refusedTools = [] }: ModelFailure): string[] {
  if (refusing.length >= maxRefused) return [];
  const ofServers = new Set(ports.tools.flatMap(({ definition, origin }) => (origin ? definition.name : [])));
  return refusedTools.filter((name) => ofServers.has(name) && !refusing.includes(name));
}

/** The definitions without those that the provider did not accept in this turn. */
export function withoutRefused<Definition extends Pick<ToolDefinition, "name">>(
  tools: Definition[],
  ...lists: (string[] | undefined)[]
): Definition[] {
  const refused = new Set(lists.flatMap((names) => names ?? []));
  return refused.size === 0 ? tools : tools.filter(({ name }) => !refused.has(name));
}

/** What a note tells the model, and people who read the run: which tools are left out from this step on. */
export function refusedInStep({ refusing = [] }: TurnState): NotedTool[] {
  const unavailable = "The model's provider does not accept its definition, so it is left out.";
  return refusing.map((name) => ({ definition: { name }, unavailable }));
}

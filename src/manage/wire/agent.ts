import { definitionOf } from "../../accounts/agents/definition.ts";
import { modelNameOf } from "../../accounts/agents/model-name.ts";
import { shownSecret } from "../../accounts/agents/header-secrets.ts";
import type {
  Agent,
  AgentDefinition,
  AgentVersionHead,
  ListedAgent,
  Organization,
} from "../../accounts/account-types.ts";
import type { McpServer } from "../../agent/mcp/mcp-types.ts";
import { withoutUserinfo } from "../../agent/public-url.ts";
import type { Schemas } from "../call.ts";
import { wire } from "./by-schema.ts";

/** `organization`: the agent's. Undefined: it is missing from the store. */
export function wireAgentSummary(agent: ListedAgent, organization: Organization | undefined): Schemas["AgentSummary"] {
  return wire("AgentSummary", { ...agent, model: modelNameOf(agent, organization) });
}

export function wireAgent(agent: Agent, organization: Organization | undefined, warnings: string[]): Schemas["Agent"] {
  const definition = wireDefinition(definitionOf(agent));
  return { ...wireAgentSummary(agent, organization), definition, revision: agent.revision ?? 0, warnings };
}

export function wireVersion(head: AgentVersionHead): Schemas["AgentVersionHead"] {
  return wire("AgentVersionHead", head);
}

/** A definition as in its agent file, without what may be a pasted key. */
export function wireDefinition(definition: AgentDefinition): Schemas["AgentDefinition"] {
  const { mcp, ...fields } = definition;
  return { ...fields, ...(mcp && { mcp: mcp.map(wireServer) }) };
}

function wireServer({ headers, ...stored }: McpServer): McpServer {
  const server = { ...stored, url: withoutUserinfo(stored.url) };
  if (!headers) return server;
  const shown = Object.entries(headers).map(([name, { secret, ...more }]) => {
    return [name, { secret: shownSecret(secret), ...more }] as const;
  });
  return { ...server, headers: Object.fromEntries(shown) };
}

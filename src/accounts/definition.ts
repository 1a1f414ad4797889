import { hash } from "node:crypto";
import { canonicalJson } from "../json.ts";
import type { Agent, AgentDefinition } from "./types.ts";

/** The definition of an agent, without the facts about its record. */
export function definitionOf(agent: Agent): AgentDefinition {
  const { id: _id, organizationId: _organization, status: _status, revision: _revision, ...more } = agent;
  const { version: _version, createdAt: _created, updatedAt: _updated, ...definition } = more;
  return definition;
}

/** SHA-256 (hex) of a definition as canonical JSON. */
export function definitionHash(definition: AgentDefinition): string {
  return hash("sha256", canonicalJson(definition));
}

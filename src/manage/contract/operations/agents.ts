import { operationsIn } from "./operation.ts";
import { cursor, limit } from "../../../http/rest/parameters.ts";
import { agentFilters } from "./parameters.ts";

const operation = operationsIn("agents");
const agent = { description: "The agent.", body: "Agent", headers: ["ETag"] } as const;
const changeErrors = ["agent_deleted", "modified_concurrently"] as const;
const ifMatch = {
  "If-Match": {
    description: "`ETag` of the agent that the change is based on. With another revision, nothing is changed (412).",
    schema: { type: "string", examples: ['"4"'] },
  },
};

export const agentOperations = {
  list_agents: operation("list_agents", {
    at: "GET /agents",
    summary: "List agents",
    description: "Agents of all organizations by name, without their definitions. Deleted ones are included.",
    query: { ...agentFilters, cursor, limit: limit(100, 1_000) },
    success: { description: "A page.", body: "AgentSummaryPage" },
    errors: ["invalid_argument"],
  }),
  create_agent: operation("create_agent", {
    at: "POST /agents",
    summary: "Create an agent",
    description: "Creates an active agent with version 1 of its definition.",
    request: "CreateAgentRequest",
    success: { status: 201, description: "The agent is created.", body: "Agent", headers: ["ETag"] },
    errors: ["organization_not_found", "invalid_argument"],
  }),
  get_agent: operation("get_agent", {
    at: "GET /agents/{agent_id}",
    summary: "Get an agent",
    description: "An agent with its current definition. Deleted agents stay readable.",
    success: agent,
  }),
  get_agent_use: operation("get_agent_use", {
    at: "GET /agents/{agent_id}/use",
    summary: "Get what an agent uses of its limits",
    description: "Files, pending uploads and open event streams of the agent, now.",
    success: { description: "What is used.", body: "Use" },
  }),
  update_agent: operation("update_agent", {
    at: "PUT /agents/{agent_id}",
    summary: "Update an agent",
    description:
      "Replaces the definition, which makes a new version. Turns in progress keep the old one. The definition that the agent already has changes nothing.",
    requestHeaders: ifMatch,
    request: "UpdateAgentRequest",
    success: agent,
    errors: [...changeErrors, "invalid_argument", "modified", "trial_not_found", "trial_mismatch"],
  }),
  archive_agent: operation("archive_agent", {
    at: "POST /agents/{agent_id}/archive",
    summary: "Archive an agent",
    description:
      "New runs, inputs and uploads are rejected (409) until the agent is unarchived. Turns in progress and queued inputs continue, and its keys can read.",
    success: agent,
    errors: [...changeErrors],
  }),
  unarchive_agent: operation("unarchive_agent", {
    at: "POST /agents/{agent_id}/unarchive",
    summary: "Unarchive an agent",
    description: "The agent accepts new runs, inputs and uploads again.",
    success: agent,
    errors: [...changeErrors],
  }),
  delete_agent: operation("delete_agent", {
    at: "DELETE /agents/{agent_id}",
    summary: "Delete an agent",
    description:
      "Its keys are disabled for good, and new runs and inputs are rejected. Turns in progress and queued inputs continue. Its runs stay readable here. A deleted agent cannot be restored. Idempotent.",
    success: { status: 204, description: "The agent is deleted.", media: {} },
    errors: ["modified_concurrently"],
  }),
  list_agent_versions: operation("list_agent_versions", {
    at: "GET /agents/{agent_id}/versions",
    summary: "List an agent's versions",
    description: "Versions of the definition, newest first, without the definitions.",
    query: { limit: limit(50, 1_000) },
    success: { description: "The versions.", body: "AgentVersionHeadPage" },
  }),
  get_agent_version: operation("get_agent_version", {
    at: "GET /agents/{agent_id}/versions/{version}",
    summary: "Get a version of an agent",
    description: "One version with its definition.",
    success: { description: "The version.", body: "AgentVersion" },
    errors: ["version_not_found"],
  }),
};

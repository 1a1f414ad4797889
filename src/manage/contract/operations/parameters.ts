import { fileName, idParameter, parameter, searchFilters } from "../../../http/rest/parameters.ts";

const hash = { type: "string", pattern: "^[0-9a-f]{64}$" } as const;

/** Parameters of paths, by name. */
export const pathParameters = {
  organization_id: idParameter("The organization's ID."),
  agent_id: idParameter("The agent's ID."),
  run_id: idParameter("The run's ID."),
  key_id: parameter("The key's ID: the SHA-256 of the key, in hex.", hash),
  delivery_id: parameter("The delivery's ID.", { type: "string", pattern: "^msg_[0-9a-z_]{36,80}$" }),
  operator_id: idParameter("The operator's ID."),
  secret_name: parameter("Name of the secret.", { type: "string", pattern: "^[A-Za-z0-9_-]{1,64}$" }),
  version: parameter("Number of the version, from 1.", { type: "integer", minimum: 1, maximum: 1e9 }),
  sequence: parameter("Number of the event, from 1.", { type: "integer", minimum: 1, maximum: 1e9 }),
  name: fileName,
};

/** Filters of lists of runs. */
export const runFilters = {
  organization_id: idParameter("Only runs of this organization."),
  agent_id: idParameter("Only runs of this agent."),
  ...searchFilters,
};

export const agentFilters = {
  organization_id: idParameter("Only agents of this organization."),
  status: parameter("Only agents with this status.", { type: "string", enum: ["active", "archived", "deleted"] }),
};

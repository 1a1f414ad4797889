import { configurationName, endpointIdPattern } from "../../../accounts/account-limits.ts";
import { suiteNamePattern } from "../../../trials/suites/limits.ts";
import { fileName, idParameter, parameter, tokenId } from "../../../http/rest/parameters.ts";

const hash = { type: "string", pattern: "^[0-9a-f]{64}$" } as const;

/** Parameters of paths, by name. */
export const pathParameters = {
  organization_id: idParameter("The organization's ID."),
  agent_id: idParameter("The agent's ID."),
  run_id: idParameter("The run's ID."),
  key_id: parameter("The key's ID: the SHA-256 of the key, in hex.", hash),
  delivery_id: parameter("The delivery's ID.", { type: "string", pattern: "^msg_[0-9a-z_]{36,80}$" }),
  endpoint_id: parameter("The endpoint's ID.", { type: "string", pattern: endpointIdPattern }),
  operator_id: idParameter("The operator's ID."),
  configuration: parameter("Name of the model configuration.", { type: "string", pattern: configurationName }),
  secret_name: parameter("Name of the secret.", { type: "string", pattern: "^[A-Za-z0-9_-]{1,64}$" }),
  version: parameter("Number of the version, from 1.", { type: "integer", minimum: 1, maximum: 1e9 }),
  sequence: parameter("Number of the event, from 1.", { type: "integer", minimum: 1, maximum: 1e9 }),
  trial_id: parameter("The trial's ID.", { type: "string", pattern: "^trial-[0-9a-f-]{36}$" }),
  suite: parameter("The suite's name.", { type: "string", pattern: `^${suiteNamePattern}$` }),
  case_id: idParameter("The case's ID."),
  number: parameter("Number of the case, from 1.", { type: "integer", minimum: 1, maximum: 1e9 }),
  token_id: tokenId,
  name: fileName,
};

export const agentFilters = {
  organization_id: idParameter("Only agents of this organization."),
  status: parameter("Only agents with this status.", { type: "string", enum: ["active", "archived", "deleted"] }),
};

import { configurationName, endpointIdPattern } from "../../../accounts/limits.ts";
import { failureCategories } from "../../../agent/model.ts";
import { suiteNamePattern } from "../../../trials/suites/limits.ts";
import { fileName, idParameter, parameter, repeated, searchFilters, tokenId } from "../../../http/rest/parameters.ts";

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

const amount = (description: string) => parameter(description, { type: "number", minimum: 0, maximum: 1e9 });

/** Filters of lists of runs. */
export const runFilters = {
  organization_id: idParameter("Only runs of this organization."),
  agent_id: idParameter("Only runs of this agent."),
  ...searchFilters,
  model: repeated("Only runs whose last answer is of this model. Repeated: of one of these models.", 20, {
    type: "string",
    minLength: 1,
    maxLength: 200,
  }),
  tool: repeated(
    "Only runs that called this tool. Repeated: one of these tools. Runs of releases that did not record it are left out.",
    20,
    { type: "string", minLength: 1, maxLength: 200 },
  ),
  category: repeated("Only runs whose failure has this category. Repeated: one of these.", failureCategories.length, {
    type: "string",
    enum: failureCategories,
  }),
  started_by: repeated("Only runs that this created: the `id` of a run's `started_by`. Repeated: one of these.", 20, {
    type: "string",
    minLength: 1,
    maxLength: 200,
  }),
  min_dollars: amount("Only runs that cost this much or more. Runs whose cost is not known are left out."),
  max_dollars: amount("Only runs that cost this much or less. Runs whose cost is not known are left out."),
  min_seconds: amount("Only runs whose turns took this many seconds or more, that in progress included."),
  max_seconds: amount("Only runs whose turns took this many seconds or less, that in progress included."),
};

export const agentFilters = {
  organization_id: idParameter("Only agents of this organization."),
  status: parameter("Only agents with this status.", { type: "string", enum: ["active", "archived", "deleted"] }),
};

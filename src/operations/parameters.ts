import { failureCategories } from "../agent/model.ts";
import { idempotencyKey, idParameter, parameter, repeated, searchFilters } from "../http/rest/parameters.ts";

/** Which of the key's agents is meant. `without`: what it means to leave it out. */
export const templateId = (without: string) => idParameter(`An agent of the key. Default: ${without}.`);

/** The header that makes a create safe to repeat. */
export const newRunKey = idempotencyKey(
  "Unique per agent. A repeated create with the same key and body responds with the run of the first one. Keys are kept as long as their run.",
);

const amount = (description: string) => parameter(description, { type: "number", minimum: 0, maximum: 1e9 });
const oneOfNames = (description: string) => repeated(description, 20, { type: "string", minLength: 1, maxLength: 200 });

/** Filters of lists of runs of the management API. */
export const runFilters = {
  organization_id: idParameter("Only runs of this organization."),
  agent_id: idParameter("Only runs of this agent."),
  ...searchFilters,
  model: oneOfNames("Only runs whose last answer came from this model. Repeat it for several models."),
  tool: oneOfNames(
    "Only runs that called this tool. Repeat it for several tools. Runs of releases that did not record tools are left out.",
  ),
  category: repeated(
    "Only runs whose failure has this category. Repeat it for several categories.",
    failureCategories.length,
    {
      type: "string",
      enum: failureCategories,
    },
  ),
  started_by: oneOfNames(
    "Only runs that this key or operator started: the `id` of `started_by`. Repeat it for several.",
  ),
  min_dollars: amount("Only runs that cost this much or more. Runs whose cost is not known are left out."),
  max_dollars: amount("Only runs that cost this much or less. Runs whose cost is not known are left out."),
  min_seconds: amount("Only runs whose turns took this many seconds or more, including the turn in progress."),
  max_seconds: amount("Only runs whose turns took this many seconds or less, including the turn in progress."),
};

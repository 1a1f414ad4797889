import { reference } from "../../../http/description.ts";
import {
  body,
  integer,
  list,
  nullable,
  object,
  oneOfTexts,
  page,
  sha256,
  text,
  time,
  uuid,
} from "../../../http/rest/schemas/schema-builders.ts";
import { pathParameters } from "../operations/parameters.ts";

const summary = {
  id: uuid("The agent's ID: `template_id` in v1."),
  organization_id: uuid("The organization that owns it."),
  name: text("Name for people."),
  status: oneOfTexts("`archived` rejects new runs until it is unarchived. `deleted` is final.", [
    "active",
    "archived",
    "deleted",
  ]),
  version: nullable(integer("Number of the current definition. Null: not updated since a release without versions.")),
  model: nullable(text("The model that a new run would use: the agent's own, or else the organization's.")),
  created_at: nullable(time("When it was created. Null: an earlier release created it.")),
  updated_at: nullable(time("When definition or status last changed.")),
};

const version = {
  version: integer("Number of the version, from 1."),
  created_at: time("When it was stored."),
  hash: sha256("SHA-256 of the definition as canonical JSON. Versions with the same hash are equal."),
  trial_id: nullable(text("The trial that tried the definition before it was saved. Null: none was named.")),
};

const definition = reference("AgentDefinition");

export const agentSchemas = {
  AgentSummary: object("An agent, without its definition.", summary),
  AgentSummaryPage: page(reference("AgentSummary")),
  Agent: object("An agent: a stored definition that runs are created from.", {
    ...summary,
    definition,
    revision: integer("Counts the changes of the agent. `ETag` of the response is this number in quotes."),
    warnings: list("Sentences on what keeps the agent from working as defined, such as a missing secret.", {
      type: "string",
    }),
  }),
  CreateAgentRequest: body(
    "An agent to create.",
    { organization_id: uuid("The organization that owns it."), definition },
    ["organization_id", "definition"],
  ),
  UpdateAgentRequest: body(
    "The new definition of an agent.",
    {
      definition,
      trial_id: text("A trial that has tried this definition. It is kept with the version.", {
        pattern: pathParameters.trial_id.schema.pattern,
      }),
    },
    ["definition"],
  ),
  AgentVersionHead: object("A version of an agent's definition, without the definition.", version),
  AgentVersionHeadPage: page(reference("AgentVersionHead"), "Always null: raise `limit` for more."),
  AgentVersion: object("A version of an agent's definition. It never changes.", { ...version, definition }),
};

import { operationsIn } from "./operation.ts";
import { configurationName } from "../../../accounts/account-limits.ts";
import { cursor, limit } from "../../../http/rest/parameters.ts";

const operation = operationsIn("organizations");
const configuration = {
  configuration: {
    description:
      "A further model configuration in place of the organization's model: the one to call, or whose stored `secret` is used.",
    schema: { type: "string", pattern: configurationName },
  },
} as const;
const organization = { description: "The organization.", body: "Organization" } as const;

export const organizationOperations = {
  list_organizations: operation("list_organizations", {
    at: "GET /organizations",
    summary: "List organizations",
    description: "Organizations by name.",
    query: { cursor, limit: limit(100, 1_000) },
    success: { description: "A page.", body: "OrganizationPage" },
    errors: ["invalid_argument"],
  }),
  create_organization: operation("create_organization", {
    service: true,
    at: "POST /organizations",
    summary: "Create an organization",
    description: "Creates an organization without a model. Its agents cannot start runs until it has one.",
    request: "CreateOrganizationRequest",
    success: { status: 201, description: "The organization is created.", body: "Organization" },
    errors: ["invalid_argument"],
  }),
  get_organization: operation("get_organization", {
    at: "GET /organizations/{organization_id}",
    summary: "Get an organization",
    description: "An organization with its model, its quota and the hosts of `web_fetch`.",
    success: organization,
  }),
  get_organization_use: operation("get_organization_use", {
    at: "GET /organizations/{organization_id}/use",
    summary: "Get what an organization uses of its limits",
    description: "Files, pending uploads and open event streams of all agents of the organization together, now.",
    success: { description: "What is used.", body: "Use" },
  }),
  update_organization: operation("update_organization", {
    at: "PATCH /organizations/{organization_id}",
    summary: "Set an organization's quota and tool policy",
    description:
      "Changes what all runs of the organization may use together, and whether MCP tools that are not read-only need an approval. Null removes a limit. Turns that have an answer keep the old policy.",
    request: "UpdateOrganizationRequest",
    success: organization,
    errors: ["invalid_argument", "modified_concurrently"],
  }),
  set_model: operation("set_model", {
    at: "PUT /organizations/{organization_id}/model",
    summary: "Set an organization's model",
    description:
      "Replaces the model that the organization's agents use. Turns that have an answer keep the old one. `secret` can be left out to keep the stored one, but only while `provider` and `base_url` stay the same: a secret goes to the server that it was named for.",
    request: "ModelSettings",
    success: organization,
    errors: ["invalid_argument", "modified_concurrently"],
  }),
  clear_model: operation("clear_model", {
    at: "DELETE /organizations/{organization_id}/model",
    summary: "Remove an organization's model",
    description: "The organization's agents reject new runs until a model is set.",
    success: organization,
    errors: ["modified_concurrently"],
  }),
  set_model_configuration: operation("set_model_configuration", {
    at: "PUT /organizations/{organization_id}/models/{configuration}",
    summary: "Set a further model configuration",
    description:
      "Adds or replaces a model configuration, which agents name with `modelConfiguration`. Turns that have an answer keep the old one. `secret` can be left out as in `set_model`.",
    request: "ModelSettings",
    success: organization,
    errors: ["invalid_argument", "modified_concurrently"],
  }),
  remove_model_configuration: operation("remove_model_configuration", {
    at: "DELETE /organizations/{organization_id}/models/{configuration}",
    summary: "Remove a further model configuration",
    description: "Refused while the definition of an agent names it, also of an archived one.",
    success: organization,
    errors: ["configuration_not_found", "configuration_in_use", "invalid_argument", "modified_concurrently"],
  }),
  set_web_fetch: operation("set_web_fetch", {
    at: "PUT /organizations/{organization_id}/web_fetch",
    summary: "Set the hosts of web_fetch",
    description:
      "Replaces the hosts that `web_fetch` can reach, for agents whose definition names none (`webFetch.hosts`). Turns that have an answer keep the old ones.",
    request: "SetWebFetchRequest",
    success: organization,
    errors: ["invalid_argument", "modified_concurrently"],
  }),
  delete_organization: operation("delete_organization", {
    service: true,
    at: "DELETE /organizations/{organization_id}",
    summary: "Delete an organization",
    description:
      "Ends all runs of an organization and deletes everything about it for good: runs, files, agents, keys, webhooks and usage. The audit keeps what operators did. Takes about 20 seconds at most: repeat it while `complete` is false. One machine continues by itself.",
    query: {
      name: {
        description: "The organization's name, to confirm.",
        required: true,
        schema: { type: "string", minLength: 1 },
      },
    },
    success: { description: "What was deleted.", body: "OrganizationDeletion" },
    errors: ["invalid_argument", "modified_concurrently"],
  }),
  list_models: operation("list_models", {
    at: "POST /organizations/{organization_id}/model/list",
    summary: "List the models of a server",
    description:
      "Asks the server of the settings for the names of its models, for at most 10 seconds. `model` can be left out. Stores nothing. A server that does not answer with a list is a result, not an error.",
    query: configuration,
    request: "ModelSettings",
    success: { description: "The names.", body: "ModelList" },
    errors: ["configuration_not_found", "invalid_argument"],
  }),
  store_secret: operation("store_secret", {
    at: "PUT /organizations/{organization_id}/secrets/{secret_name}",
    summary: "Store a secret",
    description:
      "Stores an API key or a token of the organization, or replaces it: on one machine in a file that only the service's user can read, on AWS in Secrets Manager. Configurations name it by the location in the answer. No operation returns the value.",
    request: "StoreSecretRequest",
    success: { description: "The secret is stored.", body: "StoredSecret" },
    errors: ["invalid_argument", "modified_concurrently"],
  }),
  test_model: operation("test_model", {
    at: "POST /organizations/{organization_id}/model/test",
    summary: "Test a model",
    description:
      "Calls a model once with a short prompt, for at most 20 seconds, and costs a few tokens. Without a body, it calls the organization's model, or its `configuration`; with a body, it calls that model and stores nothing. A failed call is a result, not an error: `failure` says what a run would report.",
    query: configuration,
    request: "ModelSettings",
    requestOptional: true,
    success: { description: "The result of the call.", body: "ModelTest" },
    errors: ["configuration_not_found", "invalid_argument"],
  }),
};

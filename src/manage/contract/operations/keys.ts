import { operationsIn } from "./operation.ts";

const operation = operationsIn("keys");
const key = { description: "The key.", body: "Key" } as const;

export const keyOperations = {
  list_keys: operation("list_keys", {
    at: "GET /agents/{agent_id}/keys",
    summary: "List an agent's API keys",
    description: "The keys that can be used for the agent, oldest first, without the keys themselves.",
    success: { description: "The keys.", body: "KeyPage" },
  }),
  create_key: operation("create_key", {
    at: "POST /agents/{agent_id}/keys",
    summary: "Create an API key",
    description:
      "Creates a key for the agent, and for `more_agent_ids` of its organization. The service stores only its hash: the key itself is shown only once.",
    request: "CreateKeyRequest",
    requestOptional: true,
    success: { status: 201, description: "The key is created.", body: "CreatedKey" },
    errors: ["agent_deleted", "invalid_argument"],
  }),
  disable_key: operation("disable_key", {
    at: "POST /keys/{key_id}/disable",
    summary: "Disable an API key",
    description: "Requests with the key are rejected (401) from now on.",
    success: key,
    errors: ["modified_concurrently"],
  }),
  enable_key: operation("enable_key", {
    at: "POST /keys/{key_id}/enable",
    summary: "Enable an API key",
    description: "Requests with the key are accepted again, unless it has expired.",
    success: key,
    errors: ["agent_not_found", "agent_deleted", "modified_concurrently"],
  }),
};

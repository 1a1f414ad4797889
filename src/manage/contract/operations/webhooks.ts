import { endpointIdPattern, maxEndpoints, maxSecrets } from "../../../accounts/account-limits.ts";
import { cursor, limit, parameter } from "../../../http/rest/parameters.ts";
import { operationsIn } from "./operation.ts";

const operation = operationsIn("webhooks");
const changed = { description: "The webhook.", body: "ChangedWebhook" } as const;
const changedEndpoint = { description: "The endpoint.", body: "ChangedWebhookEndpoint" } as const;

const ofEndpoint = parameter(
  "Only messages to this endpoint of the agent's webhook. `first`: to the webhook's own URL. Default: all, also those to runs' own URLs.",
  { type: "string", pattern: endpointIdPattern.replace("^", "^(first|").replace("$", ")$") },
);

export const webhookOperations = {
  get_webhook: operation("get_webhook", {
    at: "GET /agents/{agent_id}/webhook",
    summary: "Get an agent's webhook",
    description: "Where the ends of the agent's runs are reported, without the secrets.",
    success: { description: "The webhook.", body: "Webhook" },
    errors: ["webhook_not_found"],
  }),
  set_webhook: operation("set_webhook", {
    at: "PUT /agents/{agent_id}/webhook",
    summary: "Set an agent's webhook",
    description: "Replaces the settings. A new webhook gets a secret, which is shown only once; others keep theirs.",
    request: "SetWebhookRequest",
    success: changed,
    errors: ["agent_deleted", "invalid_argument", "modified_concurrently"],
  }),
  remove_webhook: operation("remove_webhook", {
    at: "DELETE /agents/{agent_id}/webhook",
    summary: "Remove an agent's webhook",
    description: "Removes the webhook with its secrets. Pending deliveries fail.",
    success: { status: 204, description: "The webhook is removed.", media: {} },
    errors: ["webhook_not_found", "modified_concurrently"],
  }),
  rotate_webhook_secret: operation("rotate_webhook_secret", {
    at: "POST /agents/{agent_id}/webhook/rotate-secret",
    summary: "Rotate a webhook's secret",
    description:
      "Creates a secret, which is shown only once. The old one also signs messages until `overlap_hours` have passed. " +
      `At most ${maxSecrets} secrets sign: a further one ends the oldest at once.`,
    request: "RotateWebhookSecretRequest",
    requestOptional: true,
    success: changed,
    errors: ["webhook_not_found", "invalid_argument", "modified_concurrently"],
  }),
  test_webhook: operation("test_webhook", {
    at: "POST /agents/{agent_id}/webhook/test",
    summary: "Send a test message",
    description:
      "Sends a signed message of type `webhook.test` to the agent's URL, once. Its delivery says what the receiver answered.",
    success: { status: 201, description: "The delivery.", body: "Delivery" },
    errors: ["webhook_not_found", "invalid_argument"],
  }),
  list_webhook_endpoints: operation("list_webhook_endpoints", {
    at: "GET /agents/{agent_id}/webhook/endpoints",
    summary: "List a webhook's further endpoints",
    description:
      "Receivers besides the webhook's own URL, which is the first endpoint, oldest first, without their secrets.",
    success: { description: "The endpoints.", body: "WebhookEndpointList" },
  }),
  create_webhook_endpoint: operation("create_webhook_endpoint", {
    at: "POST /agents/{agent_id}/webhook/endpoints",
    summary: "Add an endpoint to a webhook",
    description:
      `Adds a receiver with a secret of its own, which is shown only once. An agent has at most ${maxEndpoints} of them. ` +
      "Runs with a URL of their own are not reported to it.",
    request: "SetWebhookEndpointRequest",
    success: { ...changedEndpoint, status: 201 },
    errors: ["agent_deleted", "invalid_argument", "modified_concurrently"],
  }),
  set_webhook_endpoint: operation("set_webhook_endpoint", {
    at: "PUT /agents/{agent_id}/webhook/endpoints/{endpoint_id}",
    summary: "Set an endpoint of a webhook",
    description: "Replaces the settings. The endpoint keeps its secrets.",
    request: "SetWebhookEndpointRequest",
    success: changedEndpoint,
    errors: ["agent_deleted", "webhook_not_found", "invalid_argument", "modified_concurrently"],
  }),
  remove_webhook_endpoint: operation("remove_webhook_endpoint", {
    at: "DELETE /agents/{agent_id}/webhook/endpoints/{endpoint_id}",
    summary: "Remove an endpoint of a webhook",
    description: "Removes the endpoint with its secrets. Its pending deliveries fail.",
    success: { status: 204, description: "The endpoint is removed.", media: {} },
    errors: ["webhook_not_found", "modified_concurrently"],
  }),
  rotate_webhook_endpoint_secret: operation("rotate_webhook_endpoint_secret", {
    at: "POST /agents/{agent_id}/webhook/endpoints/{endpoint_id}/rotate-secret",
    summary: "Rotate an endpoint's secret",
    description: "As for the webhook itself.",
    request: "RotateWebhookSecretRequest",
    requestOptional: true,
    success: changedEndpoint,
    errors: ["webhook_not_found", "invalid_argument", "modified_concurrently"],
  }),
  test_webhook_endpoint: operation("test_webhook_endpoint", {
    at: "POST /agents/{agent_id}/webhook/endpoints/{endpoint_id}/test",
    summary: "Send a test message to an endpoint",
    description:
      "Sends a signed message of type `webhook.test` to the endpoint, once, whatever its filter. Its delivery says what the receiver answered.",
    success: { status: 201, description: "The delivery.", body: "Delivery" },
    errors: ["webhook_not_found", "invalid_argument"],
  }),
  list_deliveries: operation("list_deliveries", {
    at: "GET /agents/{agent_id}/deliveries",
    summary: "List deliveries",
    description: "The messages of an agent's runs, newest first, with the last attempt to send each.",
    query: { endpoint_id: ofEndpoint, cursor, limit: limit(50, 200) },
    success: { description: "A page.", body: "DeliveryPage" },
    errors: ["invalid_argument"],
  }),
  resend_delivery: operation("resend_delivery", {
    at: "POST /deliveries/{delivery_id}/resend",
    summary: "Send a message again",
    description: "Adds a delivery of the same message, with the same `webhook-id`.",
    success: { status: 201, description: "The new delivery.", body: "Delivery" },
  }),
};

import {
  addEndpoint,
  findWebhook,
  findWebhookRecord,
  removeWebhook,
  rotateSecret,
  setWebhook,
} from "../../accounts/webhooks.ts";
import { jsonResponse } from "../../http/handler.ts";
import { listDeliveries } from "../../deliveries/list-deliveries.ts";
import { resendDelivery } from "../../deliveries/resend-delivery.ts";
import { testWebhook } from "../../deliveries/test-webhook.ts";
import type { ManageHandlers, Schemas } from "../call.ts";
import type { ManageDeps } from "../deps.ts";
import { wireChangedEndpoint, wireChangedWebhook, wireDelivery, wireEndpoint, wireWebhook } from "../wire/webhook.ts";

export function webhookHandlers(deps: ManageDeps) {
  const { accounts, addresses } = deps;
  const settingsOf = (body: Schemas["SetWebhookRequest"]) => {
    const { url, enabled, event_types: types, private_addresses: privateAddresses } = body;
    return { url: url ?? undefined, enabled, types: types ?? undefined, privateAddresses, addresses };
  };
  return {
    async get_webhook({ path }) {
      return jsonResponse(200, wireWebhook(await findWebhook(accounts, path.agent_id)));
    },

    async set_webhook({ path, body, principal: { actor } }) {
      return jsonResponse(200, wireChangedWebhook(await setWebhook(accounts, path.agent_id, settingsOf(body), actor)));
    },

    async remove_webhook({ path, principal: { actor } }) {
      await removeWebhook(accounts, path.agent_id, actor);
      return { status: 204, headers: {}, body: "" };
    },

    async rotate_webhook_secret({ path, body, principal: { actor } }) {
      const rotated = await rotateSecret(accounts, path.agent_id, { hours: body?.overlap_hours, actor });
      return jsonResponse(200, wireChangedWebhook(rotated));
    },

    async test_webhook({ path, principal: { actor } }) {
      return jsonResponse(201, wireDelivery(await testWebhook(deps, path.agent_id, actor)));
    },

    async list_webhook_endpoints({ path }) {
      const webhook = await findWebhookRecord(accounts, path.agent_id);
      const data = (webhook.endpoints ?? []).map((endpoint) => wireEndpoint(webhook, endpoint));
      return jsonResponse(200, { data, next: null } satisfies Schemas["WebhookEndpointList"]);
    },

    async create_webhook_endpoint({ path, body, principal: { actor } }) {
      return jsonResponse(
        201,
        wireChangedEndpoint(await addEndpoint(accounts, path.agent_id, settingsOf(body), actor)),
      );
    },

    async set_webhook_endpoint({ path, body, principal: { actor } }) {
      const settings = { ...settingsOf(body), endpointId: path.endpoint_id };
      return jsonResponse(200, wireChangedEndpoint(await setWebhook(accounts, path.agent_id, settings, actor)));
    },

    async remove_webhook_endpoint({ path, principal: { actor } }) {
      await removeWebhook(accounts, path.agent_id, actor, path.endpoint_id);
      return { status: 204, headers: {}, body: "" };
    },

    async rotate_webhook_endpoint_secret({ path, body, principal: { actor } }) {
      const of = { hours: body?.overlap_hours, endpointId: path.endpoint_id, actor };
      return jsonResponse(200, wireChangedEndpoint(await rotateSecret(accounts, path.agent_id, of)));
    },

    async test_webhook_endpoint({ path, principal: { actor } }) {
      return jsonResponse(201, wireDelivery(await testWebhook(deps, path.agent_id, actor, path.endpoint_id)));
    },

    async list_deliveries({ path, query: { endpoint_id: endpointId, ...query } }) {
      const { deliveries, cursor = null } = await listDeliveries(deps, path.agent_id, { ...query, endpointId });
      return jsonResponse(200, { data: deliveries.map(wireDelivery), next: cursor } satisfies Schemas["DeliveryPage"]);
    },

    async resend_delivery({ path, principal: { actor } }) {
      return jsonResponse(201, wireDelivery(await resendDelivery(deps, path.delivery_id, actor)));
    },
  } satisfies ManageHandlers;
}

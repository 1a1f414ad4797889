import { findWebhook, removeWebhook, rotateSecret, setWebhook } from "../../accounts/webhooks.ts";
import { jsonResponse } from "../../http/handler.ts";
import { listDeliveries } from "../../deliveries/list-deliveries.ts";
import { resendDelivery } from "../../deliveries/resend-delivery.ts";
import { testWebhook } from "../../deliveries/test-webhook.ts";
import type { ManageHandlers, Schemas } from "../call.ts";
import type { ManageDeps } from "../deps.ts";
import { wireChangedWebhook, wireDelivery, wireWebhook } from "../wire/webhook.ts";

export function webhookHandlers(deps: ManageDeps) {
  const { accounts, addresses } = deps;
  return {
    async get_webhook({ path }) {
      return jsonResponse(200, wireWebhook(await findWebhook(accounts, path.agent_id)));
    },

    async set_webhook({ path, body, principal: { actor } }) {
      const { url, enabled, private_addresses: privateAddresses } = body;
      const settings = { url: url ?? undefined, enabled, privateAddresses, addresses };
      return jsonResponse(200, wireChangedWebhook(await setWebhook(accounts, path.agent_id, settings, actor)));
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

    async list_deliveries({ path, query }) {
      const { deliveries, cursor = null } = await listDeliveries(deps, path.agent_id, query);
      return jsonResponse(200, { data: deliveries.map(wireDelivery), next: cursor } satisfies Schemas["DeliveryPage"]);
    },

    async resend_delivery({ path, principal: { actor } }) {
      return jsonResponse(201, wireDelivery(await resendDelivery(deps, path.delivery_id, actor)));
    },
  } satisfies ManageHandlers;
}

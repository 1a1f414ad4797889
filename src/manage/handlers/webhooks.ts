import {
  addEndpoint,
  findWebhook,
  findWebhookRecord,
  removeWebhook,
  rotateSecret,
  setWebhook,
} from "../../accounts/webhooks.ts";
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
    get_webhook: async ({ path }) => wireWebhook(await findWebhook(accounts, path.agent_id)),
    set_webhook: async ({ path, body, principal: { actor } }) =>
      wireChangedWebhook(await setWebhook(accounts, path.agent_id, settingsOf(body), actor)),

    async remove_webhook({ path, principal: { actor } }) {
      await removeWebhook(accounts, path.agent_id, actor);
    },

    async rotate_webhook_secret({ path, body, principal: { actor } }) {
      const rotated = await rotateSecret(accounts, path.agent_id, { hours: body?.overlap_hours, actor });
      return wireChangedWebhook(rotated);
    },

    test_webhook: async ({ path, principal: { actor } }) => wireDelivery(await testWebhook(deps, path.agent_id, actor)),

    async list_webhook_endpoints({ path }) {
      const webhook = await findWebhookRecord(accounts, path.agent_id);
      const data = (webhook.endpoints ?? []).map((endpoint) => wireEndpoint(webhook, endpoint));
      return { data, next: null };
    },

    create_webhook_endpoint: async ({ path, body, principal: { actor } }) =>
      wireChangedEndpoint(await addEndpoint(accounts, path.agent_id, settingsOf(body), actor)),

    async set_webhook_endpoint({ path, body, principal: { actor } }) {
      const settings = { ...settingsOf(body), endpointId: path.endpoint_id };
      return wireChangedEndpoint(await setWebhook(accounts, path.agent_id, settings, actor));
    },

    async remove_webhook_endpoint({ path, principal: { actor } }) {
      await removeWebhook(accounts, path.agent_id, actor, path.endpoint_id);
    },

    async rotate_webhook_endpoint_secret({ path, body, principal: { actor } }) {
      const of = { hours: body?.overlap_hours, endpointId: path.endpoint_id, actor };
      return wireChangedEndpoint(await rotateSecret(accounts, path.agent_id, of));
    },

    test_webhook_endpoint: async ({ path, principal: { actor } }) =>
      wireDelivery(await testWebhook(deps, path.agent_id, actor, path.endpoint_id)),

    async list_deliveries({ path, query: { endpoint_id: endpointId, ...query } }) {
      const { deliveries, cursor = null } = await listDeliveries(deps, path.agent_id, { ...query, endpointId });
      return { data: deliveries.map(wireDelivery), next: cursor };
    },

    resend_delivery: async ({ path, principal: { actor } }) =>
      wireDelivery(await resendDelivery(deps, path.delivery_id, actor)),
  } satisfies ManageHandlers;
}

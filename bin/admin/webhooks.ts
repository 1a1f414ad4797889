import type { Command } from "commander";
import { setWebhookEnabled } from "../../src/accounts/webhooks.ts";
import type { Schemas } from "../../src/manage/schema-types.ts";
import { CliError } from "../cli.ts";
import type { Action } from "./action.ts";
import type { Caller } from "./call.ts";
import { record } from "./output.ts";

const verbs = [
  {
    verb: "disable",
    enabled: false,
    description: "Disable an agent's webhook. Runs with a URL of their own are still reported.",
  },
  { verb: "enable", enabled: true, description: "Enable an agent's webhook again." },
];

/** Commands that change one setting of a webhook. The API replaces all of them. */
export function addWebhookCommands(webhook: Command, action: Action): void {
  for (const { verb, enabled, description } of verbs) {
    webhook
      .command(verb)
      .description(description)
      .requiredOption("--agent <ID>", "ID of the agent")
      .option("--endpoint <ID>", "a further endpoint (default: the first, the agent's URL)")
      .action(
        action(async (session, { agent, endpoint }: { agent: string; endpoint?: string }) => {
          if (session.hasStores) {
            const { accounts, actor } = session.platform();
            await setWebhookEnabled(accounts, agent, enabled, await actor(), endpoint);
            return record(await endpointOf(session, agent, endpoint));
          }
          const { url, event_types, private_addresses } = await endpointOf(session, agent, endpoint);
          const settings = { agent_id: agent, endpoint_id: endpoint, url, event_types, private_addresses, enabled };
          const operation = endpoint === undefined ? "set_webhook" : "set_webhook_endpoint";
          return record(await session.call<object>(operation, settings));
        }),
      );
  }
}

async function endpointOf(
  { call }: Caller,
  agent_id: string,
  endpoint: string | undefined,
): Promise<Pick<Schemas["Webhook"], "url" | "event_types" | "private_addresses">> {
  if (endpoint === undefined) return call<Schemas["Webhook"]>("get_webhook", { agent_id });
  const { data } = await call<Schemas["WebhookEndpointList"]>("list_webhook_endpoints", { agent_id });
  const found = data.find(({ id }) => id === endpoint);
  if (found) return found;
  throw new CliError(
    `agent ${agent_id} has no endpoint ${JSON.stringify(endpoint)} (see webhook endpoints --agent ID)`,
  );
}

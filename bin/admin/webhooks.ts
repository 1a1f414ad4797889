import type { Command } from "commander";
import { endpointOf } from "../../src/accounts/endpoints.ts";
import {
  addEndpoint,
  type ChangedWebhook,
  findWebhook,
  findWebhookRecord,
  oldSecretsValidUntil,
  removeWebhook,
  rotateSecret,
  setWebhook,
  setWebhookEnabled,
} from "../../src/accounts/webhooks.ts";
import { type EventType, eventTypes, maxEndpoints, maxSecrets, overlapHours } from "../../src/accounts/limits.ts";
import type { EndpointView, FurtherEndpointView } from "../../src/accounts/types.ts";
import type { Action } from "./action.ts";
import { addDeliveryCommands, endpointOption } from "./deliveries.ts";
import { wholeNumber } from "./option-values.ts";
import { isoTime, type Output, record, table } from "./output.ts";

const agentOption = ["--agent <ID>", "agent"] as const;

/** Which endpoint of which agent's webhook. */
interface EndpointOptions {
  agent: string;
  endpoint?: string;
}

interface SetOptions extends EndpointOptions {
  url?: string;
  event?: string[];
  privateAddresses?: boolean;
}

const eventOption = ["--event <TYPE...>", `events to send: ${eventTypes.join(", ")} (default: all)`] as const;
const privateOption = ["--private-addresses", "accept http: and private addresses"] as const;

export function addWebhookCommands(program: Command, action: Action): void {
  const webhook = program.command("webhook").description("Manage where the ends of an agent's runs are reported.");
  webhook
    .command("set")
    .description("Set an agent's webhook and enable it. The secret of a new one is printed (shown only once).")
    .requiredOption(...agentOption)
    .option(...endpointOption)
    .option("--url <URL>", "receiver (default: none; only runs with their own URL are reported)")
    .option(...eventOption)
    .option(...privateOption)
    .action(
      action(async ({ accounts, addresses, actor }, options: SetOptions) => {
        const settings = { ...settingsOf(options), addresses, endpointId: options.endpoint };
        return changed(await setWebhook(accounts, options.agent, settings, await actor()));
      }),
    );
  webhook
    .command("add")
    .description(`Add an endpoint with its own secret, which is printed (shown only once). At most ${maxEndpoints}.`)
    .requiredOption(...agentOption)
    .requiredOption("--url <URL>", "receiver")
    .option(...eventOption)
    .option(...privateOption)
    .action(
      action(async ({ accounts, addresses, actor }, options: SetOptions) => {
        const settings = { ...settingsOf(options), addresses };
        return changed(await addEndpoint(accounts, options.agent, settings, await actor()));
      }),
    );
  webhook
    .command("endpoints")
    .description("List the endpoints of an agent's webhook besides the first.")
    .requiredOption(...agentOption)
    .action(
      action(async ({ accounts }, { agent }: { agent: string }) => {
        const { endpoints = [] } = await findWebhookRecord(accounts, agent);
        const rows = endpoints.map(row);
        const { text } = table(
          rows,
          ["id", "enabled", "events", "url"],
          "No endpoints besides the first: webhook show.",
        );
        return { text, json: { endpoints: rows } };
      }),
    );
  webhook
    .command("show")
    .description("Show an agent's webhook without its secrets.")
    .requiredOption(...agentOption)
    .action(
      action(async ({ accounts }, { agent }: { agent: string }) =>
        record({ agent, ...fields(await findWebhook(accounts, agent)) }),
      ),
    );
  webhook
    .command("rotate-secret")
    .description(
      "Create a new secret and print it (shown only once). The old one also signs messages for some hours. At most " +
        `${maxSecrets} secrets sign: a further one ends the oldest at once.`,
    )
    .requiredOption(...agentOption)
    .option(...endpointOption)
    .option(
      "--hours <N>",
      `hours that the old secret stays valid, 0 to ${overlapHours.max}`,
      String(overlapHours.default),
    )
    .action(
      action(async ({ accounts, actor }, { agent, endpoint, hours: given }: EndpointOptions & { hours: string }) => {
        const hours = wholeNumber("--hours", given, overlapHours.max, 0);
        return changed(await rotateSecret(accounts, agent, { hours, endpointId: endpoint, actor: await actor() }));
      }),
    );
  const setEnabled = (verb: string, enabled: boolean, description: string) =>
    webhook
      .command(verb)
      .description(description)
      .requiredOption(...agentOption)
      .option(...endpointOption)
      .action(
        action(async ({ accounts, actor }, { agent, endpoint }: EndpointOptions) =>
          changed({
            webhook: await setWebhookEnabled(accounts, agent, enabled, await actor(), endpoint),
            endpointId: endpoint,
          }),
        ),
      );
  setEnabled("disable", false, "Send nothing to an agent's URL; runs with their own URL are still reported.");
  setEnabled("enable", true, "Send to an agent's URL again.");
  webhook
    .command("remove")
    .description("Remove an agent's webhook with its secrets; pending deliveries fail.")
    .requiredOption(...agentOption)
    .option(...endpointOption)
    .action(
      action(async ({ accounts, actor }, { agent, endpoint }: EndpointOptions) => {
        await removeWebhook(accounts, agent, await actor(), endpoint);
        const what = endpoint === undefined ? "webhook" : "endpoint";
        return { text: `Removed the ${what} and its secrets.`, json: { removed: true } };
      }),
    );
  addDeliveryCommands(webhook, action);
}

function settingsOf({ url, event, privateAddresses = false }: SetOptions) {
  return { url, types: event as EventType[] | undefined, privateAddresses }; // `src/accounts` checks the types
}

function changed({ webhook, endpointId, secret }: ChangedWebhook): Output {
  const { agentId: agent } = webhook;
  const { text, json } = record({ secret, agent, endpoint: endpointId, ...fields(endpointOf(webhook, endpointId)) });
  return { text: secret === undefined ? text : `${text}\n\nThe secret is shown only once. Save it now.`, json };
}

function row({ id, ...endpoint }: FurtherEndpointView) {
  return { id, ...fields(endpoint) };
}

/** An endpoint for people and programs: never its secrets. */
function fields(endpoint: EndpointView) {
  const { url, types, enabled, disabled, privateAddresses, secrets, createdAt, updatedAt } = endpoint;
  const [newest] = secrets;
  const until = oldSecretsValidUntil(endpoint, Date.now());
  return {
    url,
    events: types?.join(", "),
    enabled,
    disabled_reason: disabled && `${disabled.reason} (${isoTime(disabled.at)})`,
    private_addresses: privateAddresses,
    secret_created_at: newest && isoTime(newest.createdAt),
    old_secret_valid_until: until && isoTime(until),
    created_at: isoTime(createdAt),
    updated_at: isoTime(updatedAt),
  };
}

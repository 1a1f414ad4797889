import type { Command } from "commander";
import {
  type ChangedWebhook,
  findWebhook,
  oldSecretsValidUntil,
  removeWebhook,
  rotateSecret,
  setWebhook,
  setWebhookEnabled,
} from "../../src/accounts/webhooks.ts";
import { maxSecrets, overlapHours } from "../../src/accounts/limits.ts";
import type { WebhookView } from "../../src/accounts/types.ts";
import type { Action } from "./action.ts";
import { addDeliveryCommands } from "./deliveries.ts";
import { wholeNumber } from "./option-values.ts";
import { isoTime, type Output, record } from "./output.ts";

const agentOption = ["--agent <ID>", "agent"] as const;

interface SetOptions {
  agent: string;
  url?: string;
  privateAddresses?: boolean;
}

export function addWebhookCommands(program: Command, action: Action): void {
  const webhook = program.command("webhook").description("Manage where the ends of an agent's runs are reported.");
  webhook
    .command("set")
    .description("Set an agent's webhook and enable it. The secret of a new one is printed (shown only once).")
    .requiredOption(...agentOption)
    .option("--url <URL>", "receiver (default: none; only runs with their own URL are reported)")
    .option("--private-addresses", "accept http: and private addresses")
    .action(
      action(async ({ accounts, addresses, actor }, { agent, url, privateAddresses = false }: SetOptions) =>
        changed(await setWebhook(accounts, agent, { url, privateAddresses, addresses }, await actor())),
      ),
    );
  webhook
    .command("show")
    .description("Show an agent's webhook without its secrets.")
    .requiredOption(...agentOption)
    .action(
      action(async ({ accounts }, { agent }: { agent: string }) => record(fields(await findWebhook(accounts, agent)))),
    );
  webhook
    .command("rotate-secret")
    .description(
      "Create a new secret and print it (shown only once). The old one also signs messages for some hours. At most " +
        `${maxSecrets} secrets sign: a further one ends the oldest at once.`,
    )
    .requiredOption(...agentOption)
    .option(
      "--hours <N>",
      `hours that the old secret stays valid, 0 to ${overlapHours.max}`,
      String(overlapHours.default),
    )
    .action(
      action(async ({ accounts, actor }, { agent, hours: given }: { agent: string; hours: string }) => {
        const hours = wholeNumber("--hours", given, overlapHours.max, 0);
        return changed(await rotateSecret(accounts, agent, { hours, actor: await actor() }));
      }),
    );
  const setEnabled = (verb: string, enabled: boolean, description: string) =>
    webhook
      .command(verb)
      .description(description)
      .requiredOption(...agentOption)
      .action(
        action(async ({ accounts, actor }, { agent }: { agent: string }) =>
          record(fields(await setWebhookEnabled(accounts, agent, enabled, await actor()))),
        ),
      );
  setEnabled("disable", false, "Send nothing to an agent's URL; runs with their own URL are still reported.");
  setEnabled("enable", true, "Send to an agent's URL again.");
  webhook
    .command("remove")
    .description("Remove an agent's webhook with its secrets; pending deliveries fail.")
    .requiredOption(...agentOption)
    .action(
      action(async ({ accounts, actor }, { agent }: { agent: string }) => {
        await removeWebhook(accounts, agent, await actor());
        return { text: "Removed the webhook and its secrets.", json: { removed: true } };
      }),
    );
  addDeliveryCommands(webhook, action);
}

function changed({ webhook, secret }: ChangedWebhook): Output {
  const { text, json } = record({ secret, ...fields(webhook) });
  return { text: secret === undefined ? text : `${text}\n\nThe secret is shown only once. Save it now.`, json };
}

/** A webhook for people and programs: never its secrets. */
function fields(webhook: WebhookView) {
  const { agentId, url, enabled, disabled, privateAddresses, secrets, createdAt, updatedAt } = webhook;
  const [newest] = secrets;
  const until = oldSecretsValidUntil(webhook, Date.now());
  return {
    agent: agentId,
    url,
    enabled,
    disabled_reason: disabled && `${disabled.reason} (${isoTime(disabled.at)})`,
    private_addresses: privateAddresses,
    secret_created_at: newest && isoTime(newest.createdAt),
    old_secret_valid_until: until && isoTime(until),
    created_at: isoTime(createdAt),
    updated_at: isoTime(updatedAt),
  };
}

import type { Command } from "commander";
import type { Delivery } from "../../src/runs/deliveries.ts";
import { listDeliveries, type ListedDeliveries } from "../../src/deliveries/list-deliveries.ts";
import { resendDelivery } from "../../src/deliveries/resend-delivery.ts";
import { testWebhook } from "../../src/deliveries/test-webhook.ts";
import type { Action } from "./action.ts";
import { maxListed, wholeNumber } from "./option-values.ts";
import { isoTime, type Output, record, table } from "./output.ts";

interface ListOptions {
  agent: string;
  limit: string;
  cursor?: string;
  endpoint?: string;
}

/** For commands about one endpoint of a webhook. */
export const endpointOption = ["--endpoint <ID>", "a further endpoint (default: the first, the agent's URL)"] as const;

/** Adds the commands about what was sent, below `webhook`. */
export function addDeliveryCommands(webhook: Command, action: Action): void {
  webhook
    .command("deliveries")
    .description("List the messages of an agent's runs, newest first, with the last attempt to send each.")
    .requiredOption("--agent <ID>", "agent")
    .option("--endpoint <ID>", "only messages to this endpoint, or first for the agent's URL")
    .option("--limit <N>", `number of messages, at most ${maxListed}`, "20")
    .option("--cursor <CURSOR>", "continue the list of a page before")
    .action(
      action(async (stores, { agent, limit: given, cursor, endpoint: endpointId }: ListOptions) => {
        const limit = wholeNumber("--limit", given, maxListed);
        return listed(await listDeliveries(stores, agent, { limit, cursor, endpointId }));
      }),
    );
  webhook
    .command("test")
    .description("Send a signed message of type webhook.test to an agent's URL, or to an endpoint, once.")
    .requiredOption("--agent <ID>", "agent")
    .option(...endpointOption)
    .action(
      action(async ({ accounts, deliveries, actor }, { agent, endpoint }: { agent: string; endpoint?: string }) =>
        record(fields(await testWebhook({ accounts, deliveries }, agent, await actor(), endpoint))),
      ),
    );
  webhook
    .command("resend")
    .description("Send a message again, with the same webhook-id.")
    .argument("<DELIVERY>", "id of the delivery, as webhook deliveries prints it")
    .action(
      action(async ({ deliveries, actor }, id: string) =>
        record(fields(await resendDelivery({ deliveries }, id, await actor()))),
      ),
    );
}

function listed({ deliveries, cursor }: ListedDeliveries): Output {
  const rows = deliveries.map(fields);
  // The last column is not cut.
  const columns = ["at", "type", "state", "attempts", "status", "id", "problem"];
  const { text } = table(rows, columns, "No deliveries: no run with a webhook has ended.");
  return {
    text: cursor === undefined ? text : `${text}\n\nThere are more: --cursor ${cursor}`,
    json: { deliveries: rows, cursor },
  };
}

function fields({
  id,
  messageId,
  endpointId,
  runId,
  turn,
  type,
  at,
  attempts,
  state,
  nextAttemptAt,
  lastAttempt,
}: Delivery) {
  return {
    id,
    message: messageId,
    endpoint: endpointId,
    run: runId,
    turn,
    type,
    at: isoTime(at),
    state,
    attempts,
    next_attempt_at: nextAttemptAt && isoTime(nextAttemptAt),
    last_attempt_at: lastAttempt && isoTime(lastAttempt.at),
    status: lastAttempt?.status,
    problem: lastAttempt?.problem,
    milliseconds: lastAttempt?.milliseconds,
  };
}

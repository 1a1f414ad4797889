import type { Accounts, Webhook } from "../accounts/account-types.ts";
import { endpointName, findEndpoint } from "../accounts/endpoints.ts";
import { disableUrl, validSecrets } from "../accounts/webhooks.ts";
import type { AddressScope } from "../net/addresses.ts";
import type { Delivery, DeliveryAttempt } from "../runs/deliveries.ts";
import type { Deliveries, Runs } from "../runs/ports.ts";
import type { Run } from "../runs/run-types.ts";
import { type Reported, webhookRequest } from "./message.ts";
import { post } from "./post.ts";
import { nextAttempt } from "./retries.ts";
import { reportedCalls } from "./waiting-calls.ts";

export interface SendDeps {
  accounts: Pick<Accounts, "findWebhook" | "replaceWebhook">;
  runs: Pick<Runs, "head" | "output" | "loadShortTurn">;
  deliveries: Pick<Deliveries, "find" | "recordAttempt">;
  /** Addresses that the platform lets webhooks with private addresses connect to. Default: `public`. */
  addresses?: AddressScope;
  now: () => number;
}

/**
 * `done`: nothing is left to do. Otherwise, the next attempt is due at `retryAt`, with `attempts` recorded by then.
 * `unanswered`: the receiver did not answer the last one.
 */
export type SendOutcome = "done" | { retryAt: number; attempts: number; unanswered?: true };

/**
 * Sends a delivery and records the attempt. `attempts`: those that the caller knows of. If another sender has recorded
 * one since, nothing is sent, and the outcome says when the next one is due: so a caller may be repeated after a crash.
 *
 * A crash between the answer of the receiver and the record lets the message be sent again. Rejects when a store fails,
 * and with the reason of `signal`.
 */
export async function sendDelivery(
  deps: SendDeps,
  id: string,
  attempts: number,
  signal: AbortSignal = new AbortController().signal,
): Promise<SendOutcome> {
  const delivery = await deps.deliveries.find(id);
  if (delivery?.attempts !== attempts || delivery.state !== "pending") return outcomeOf(delivery);
  const isTest = delivery.type === "webhook.test";
  const [run, webhook] = await Promise.all([
    isTest ? agentTarget : deps.runs.head(delivery.runId),
    deps.accounts.findWebhook(delivery.agentId),
  ]);
  const at = deps.now();
  const target = targetOf(run, webhook, delivery.endpointId, at);
  if ("problem" in target) return record(deps, afterwards(delivery, { at, milliseconds: 0, ...target }, true));
  const result = run && "id" in run && delivery.hasResult ? await deps.runs.output(run, delivery.turn) : undefined;
  const turn = delivery.type === "run.waiting" ? await deps.runs.loadShortTurn(delivery.runId) : undefined;
  const calls = turn && reportedCalls(delivery, turn);
  const { refused, retryAfter, ...attempt } = await attemptOf(deps, delivery, { ...target, result, calls }, signal);
  const gone = attempt.status === 410;
  if (gone && target.isOfAgent)
    await disableUrl(deps.accounts, target.webhook, { ...target, endpointId: delivery.endpointId }, goneReason);
  return record(deps, afterwards(delivery, attempt, gone || refused || isTest, retryAfter));
}

/** What a test has in place of a run: it goes to the agent's URL, and has no labels. */
const agentTarget: Pick<Run, "webhook" | "labels"> = { webhook: "agent" };

const goneReason = "the receiver answered 410";

interface Target {
  run: Pick<Run, "labels">;
  webhook: Webhook;
  privateAddresses: boolean;
  url: string;
  /** Whether it is the URL of the agent's webhook, not the run's own. */
  isOfAgent: boolean;
  secrets: string[];
}

/** Where a delivery goes, and what signs it. `problem`: why it cannot be sent, as a clause. */
function targetOf(
  run: Pick<Run, "webhook" | "labels"> | undefined,
  webhook: Webhook | undefined,
  endpointId: string | undefined,
  at: number,
): Target | { problem: string } {
  if (run?.webhook === undefined) return { problem: "the run does not exist any more" };
  const endpoint = webhook && findEndpoint(webhook, endpointId);
  const name = endpointName(endpointId);
  const secrets = endpoint ? validSecrets(endpoint, at).map(({ value }) => value) : [];
  if (!webhook || !endpoint || secrets.length === 0) {
    return { problem: `the agent has no ${endpointId === undefined ? "webhook" : name} any more` };
  }
  const { url, enabled, privateAddresses } = endpoint;
  const target = { run, webhook, privateAddresses, secrets };
  if (run.webhook !== "agent") return { ...target, url: run.webhook, isOfAgent: false };
  if (!enabled) return { problem: `the ${name} is disabled` };
  if (url === undefined) return { problem: `the ${name} has no URL any more` };
  return { ...target, url, isOfAgent: true };
}

async function attemptOf(
  { addresses = "public", now }: SendDeps,
  delivery: Delivery,
  { run, privateAddresses, url, secrets, result, calls }: Target & Pick<Reported, "result" | "calls">,
  signal: AbortSignal,
): Promise<DeliveryAttempt & { refused: boolean; retryAfter?: number }> {
  const at = now();
  const request = webhookRequest(delivery, { ...run, result, calls }, secrets, at);
  const { refused = false, ...answer } = await post({ url, ...request, privateAddresses, addresses, signal });
  return { at, ...answer, milliseconds: now() - at, refused };
}

/** A delivery after an attempt. `final`: another attempt cannot help. `retryAfter`: milliseconds that the receiver asks to wait. */
function afterwards(delivery: Delivery, lastAttempt: DeliveryAttempt, final: boolean, retryAfter?: number): Delivery {
  const { nextAttemptAt: _, ...before } = delivery;
  const after = { ...before, attempts: delivery.attempts + 1, lastAttempt };
  if (lastAttempt.problem === undefined) return { ...after, state: "delivered" };
  const next = final ? undefined : nextAttempt(after.attempts, lastAttempt.at + lastAttempt.milliseconds, retryAfter);
  return next === undefined ? { ...after, state: "failed" } : { ...after, nextAttemptAt: next };
}

async function record({ deliveries }: SendDeps, after: Delivery): Promise<SendOutcome> {
  return outcomeOf((await deliveries.recordAttempt(after)) ? after : await deliveries.find(after.id));
}

function outcomeOf(delivery: Delivery | undefined): SendOutcome {
  if (delivery?.state !== "pending") return "done";
  const { nextAttemptAt: retryAt = delivery.at, attempts, lastAttempt } = delivery;
  return { retryAt, attempts, ...(lastAttempt && lastAttempt.status === undefined && { unanswered: true }) };
}

import { pause } from "../../async/backoff.ts";
import { log } from "../../log.ts";
import { sendDelivery, type SendDeps } from "../../webhooks/send-delivery.ts";
import type { DueDelivery, LocalDeliveries } from "./deliveries.ts";

/** Sends the deliveries of one machine, in the process that serves HTTP. */
export interface Sender {
  /** Resolves when nothing is sent any more. A delivery that was interrupted is sent again after the next start. */
  close(): Promise<void>;
}

export interface SenderDeps extends SendDeps {
  deliveries: LocalDeliveries;
}

/** Time between two looks for due deliveries, which also other processes add. The end of an attempt starts a look, too. */
const lookMilliseconds = 250;
/** Deliveries that are sent at a time: in all, and of one agent, so that slow receivers do not block those of others. */
const [maxSending, maxPerAgent] = [200, 5];
/** Time before a delivery is sent again whose attempt could not be recorded. */
const storePauseMilliseconds = 10_000;

/** Sends what is due, at once and from then on. */
export function startSender(deps: SenderDeps): Sender {
  const sending = new Map<string, Promise<void>>();
  const perAgent = new Map<string, number>();
  const abort = new AbortController();

  const count = (agentId: string, change: 1 | -1): void => {
    const next = (perAgent.get(agentId) ?? 0) + change;
    if (next === 0) perAgent.delete(agentId);
    else perAgent.set(agentId, next);
  };

  function begin(due: DueDelivery): void {
    const { id, agentId } = due;
    count(agentId, 1);
    const sent = send(deps, due, abort.signal).finally(() => {
      sending.delete(id);
      count(agentId, -1);
    });
    sending.set(id, sent);
  }

  async function look(): Promise<void> {
    for (const due of await deps.deliveries.listDue(deps.now(), maxPerAgent)) {
      if (abort.signal.aborted || sending.size >= maxSending) return;
      if (!sending.has(due.id) && (perAgent.get(due.agentId) ?? 0) < maxPerAgent) begin(due);
    }
  }

  async function lookUntilClosed(): Promise<void> {
    while (!abort.signal.aborted) {
      await look().catch((error: unknown) => log("error", "due deliveries could not be read; retrying", { error }));
      await Promise.race([pause(lookMilliseconds, abort.signal).catch(() => {}), ...sending.values()]);
    }
  }

  const looking = lookUntilClosed();
  return {
    async close() {
      abort.abort();
      await Promise.all([looking, ...sending.values()]);
    },
  };
}

/** One attempt. It stays "in progress" for a while if it was not recorded: the receiver would get it again at once. */
async function send(deps: SenderDeps, { id, attempts }: DueDelivery, signal: AbortSignal): Promise<void> {
  try {
    await sendDelivery(deps, id, attempts, signal);
  } catch (error) {
    if (signal.aborted) return;
    log("error", "a delivery could not be sent or recorded; retrying", { deliveryId: id, error });
    await pause(storePauseMilliseconds, signal).catch(() => {});
  }
}

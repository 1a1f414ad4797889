import { pause } from "../../../async/backoff.ts";
import { scheduler } from "../../../async/scheduler.ts";
import { log } from "../../../log.ts";
import { sendDelivery, type SendDeps, type SendOutcome } from "../../../deliveries/send-delivery.ts";
import type { PendingDestination, DueAttempt, LocalDeliveries } from "../deliveries.ts";

/** Sends the deliveries of one machine, in the process that serves HTTP. */
export interface Sender {
  /** Resolves when nothing is sent any more. A delivery that was interrupted is sent again after the next start. */
  close(): Promise<void>;
}

export interface SenderDeps extends SendDeps {
  deliveries: LocalDeliveries;
}

/** Poll interval of due deliveries, which other processes add, too. The end of an attempt polls as well. */
const lookMilliseconds = 250;
/** Deliveries that are sent at a time: to destinations that answer, or have not been tried, and to others. */
const [placesForAnswering, placesForOthers] = [150, 50];
/** Deliveries to one destination that are sent at a time. */
const maxPerDestination = 5;
/** The first and the longest pause of a destination that does not answer. It doubles with each attempt after a pause. */
const [firstPause, longestPause] = [2_000, 30_000];
/** Time after which it is forgotten that a destination did not answer. */
const forgetMilliseconds = 3_600_000;
/** Time before a delivery is sent again whose attempt could not be recorded. */
const storePauseMilliseconds = 10_000;

/** What happens at a destination. `failures`: attempts without an answer, those of one pause counted once. */
interface Sending {
  /** Ids of deliveries that are sent, or wait for a place. */
  ids: Set<string>;
  failures: number;
  pausedUntil: number;
}

const nothingSent = (): Sending => ({ ids: new Set(), failures: 0, pausedUntil: 0 });

/**
 * Sends what is due, at once and from then on. Places go round by organization, agent and destination, so that receivers that
 * do not answer delay no message to others.
 */
export function startSender(deps: SenderDeps): Sender {
  const answering = scheduler({ places: placesForAnswering });
  const others = scheduler({ places: placesForOthers });
  const destinations = new Map<string, Sending>();
  const attempts = new Set<Promise<void>>();
  const abort = new AbortController();

  function begin(due: DueAttempt, destination: PendingDestination, sending: Sending): void {
    const places = sending.failures > 0 ? others : answering;
    const owners = [due.organizationId, due.agentId, destination.host];
    sending.ids.add(due.id);
    const attempt = places
      .run(owners, () => send(deps, due, abort.signal), abort.signal)
      .then((outcome) => noteAnswer(sending, outcome, deps.now()))
      .catch(() => {}) // closed
      .then(async () => {
        attempts.delete(attempt);
        sending.ids.delete(due.id);
        await lookAt(destination);
      });
    attempts.add(attempt);
  }

  async function lookAt(destination: PendingDestination): Promise<void> {
    const key = JSON.stringify([destination.agentId, destination.host]);
    const now = deps.now();
    const { ids, pausedUntil } = destinations.get(key) ?? nothingSent();
    if (abort.signal.aborted || ids.size >= maxPerDestination || pausedUntil > now) return;
    try {
      const due = await deps.deliveries.listDue(destination, now, maxPerDestination);
      const sending = destinations.get(key) ?? nothingSent();
      if (due.length > 0) destinations.set(key, sending);
      for (const each of due) {
        if (!sending.ids.has(each.id) && sending.ids.size < maxPerDestination) begin(each, destination, sending);
      }
    } catch (error) {
      log("error", "due deliveries could not be read; retrying", { error });
    }
  }

  async function lookUntilClosed(): Promise<void> {
    while (!abort.signal.aborted) {
      try {
        for (const destination of await deps.deliveries.listDestinations()) await lookAt(destination);
      } catch (error) {
        log("error", "due deliveries could not be read; retrying", { error });
      }
      forgetIdle(destinations, deps.now());
      await pause(lookMilliseconds, abort.signal).catch(() => {});
    }
  }

  const looking = lookUntilClosed();
  return {
    async close() {
      abort.abort();
      await Promise.all([looking, ...attempts]);
    },
  };
}

function noteAnswer(sending: Sending, outcome: SendOutcome | undefined, now: number): void {
  if (outcome === undefined) return;
  if (outcome === "done" || !outcome.unanswered) Object.assign(sending, { failures: 0, pausedUntil: 0 });
  else if (now >= sending.pausedUntil) {
    sending.failures++;
    sending.pausedUntil = now + Math.min(firstPause * 2 ** (sending.failures - 1), longestPause);
  }
}

/** Forgets where nothing is sent, and whose pause is long over. */
function forgetIdle(destinations: Map<string, Sending>, now: number): void {
  for (const [key, { ids, failures, pausedUntil }] of destinations) {
    if (ids.size === 0 && (failures === 0 || pausedUntil + forgetMilliseconds < now)) destinations.delete(key);
  }
}

/**
 * One attempt. It stays "in progress" for a while if it was not recorded: the receiver would get it again at once. Undefined:
 * it is not known whether the receiver answered.
 */
async function send(
  deps: SenderDeps,
  { id, attempts }: DueAttempt,
  signal: AbortSignal,
): Promise<SendOutcome | undefined> {
  try {
    return await sendDelivery(deps, id, attempts, signal);
  } catch (error) {
    if (signal.aborted) return undefined;
    log("error", "a delivery could not be sent or recorded; retrying", { deliveryId: id, error });
    await pause(storePauseMilliseconds, signal).catch(() => {});
    return undefined;
  }
}

import { fitsSchema } from "./read/checked-result.ts";
import type { DeliveryType, RunStatus } from "./status.ts";
import type { RunChange, RunFacts } from "./run-types.ts";

/**
 * One message to a webhook, stored in the write that it reports. It names the run and contains none of its texts: a result and
 * calls that wait are read when the message is sent. A test has the fields of others, with `noRun`. Times are milliseconds since 1970.
 */
export interface Delivery {
  /** `messageId`; of a message that an operator sends again, with a random ending. */
  id: string;
  /** Identifies what happened, so that receivers recognize a message that they already have. */
  messageId: string;
  agentId: string;
  organizationId: string;
  runId: string;
  /** Host of the run's own URL. Absent: the message goes to the agent's webhook. */
  destination?: string;
  /** Of the agent's webhook: the further endpoint. Absent: the first. */
  endpointId?: string;
  /** The turn that ended, or that the run was in. */
  turn: number;
  type: DeliveryType;
  /** Of the run after the change: `running` if a queued input started the next turn in the same write. */
  status: RunStatus;
  /** The output of the turn is a result that fits its schema, and short enough for a message. */
  hasResult?: true;
  /** When it happened. */
  at: number;
  /** Attempts to send it. */
  attempts: number;
  state: "pending" | "delivered" | "failed";
  /** When the next attempt is due. Absent unless `pending`. */
  nextAttemptAt?: number;
  lastAttempt?: DeliveryAttempt;
}

/** The run of a test message. */
export const noRun = "00000000-0000-0000-0000-000000000000";

/** `status`: of the response. `problem`: why there was none, or why it was not accepted. `milliseconds`: its duration. */
export interface DeliveryAttempt {
  at: number;
  status?: number;
  problem?: string;
  milliseconds: number;
}

/** A place in a list of deliveries: behind the delivery with this time and id. */
export type DeliveryPlace = Pick<Delivery, "at" | "id">;

/**
 * Which deliveries to list. `endpointId`: only those to this endpoint; `first`: to the first, not to runs' own URLs. `after`: only those
 * that are older than this place.
 */
export interface DeliveryQuery {
  agentId: string;
  endpointId?: string;
  after?: DeliveryPlace;
  limit: number;
}

/**
 * A page of a list of deliveries. `next`: the place up to which it was read. Absent: there are no older ones. With `next`, it can have
 * fewer deliveries than the limit, or none.
 */
export interface DeliveryPage {
  deliveries: Delivery[];
  next?: DeliveryPlace;
}

const typeOf = {
  finished: "run.finished",
  running: "run.finished", // and the next turn began
  technical_error: "run.failed",
  terminated: "run.terminated",
} as const satisfies Record<RunStatus, DeliveryType>;

/** Whether a webhook reports the change: the end of a turn or of the run, or that a turn waits for answers. */
export function isReported(change: Pick<RunChange, "expect" | "set">): boolean {
  return endsTurn(change) || change.set?.asks !== undefined;
}

/** Whether the change ends a turn, or the run. Each happens once to a turn of a run. */
export function endsTurn({ expect, set }: Pick<RunChange, "expect" | "set">): boolean {
  if (set?.status === "running") return expect.status === "running" && set.turn !== expect.turn;
  return set !== undefined;
}

/**
 * Bytes of UTF-8 of a result that is too long for a message: on AWS, those texts are in the bucket, which the sender cannot read.
 * Receivers read such a result with its run.
 */
const longResultBytes = 65_536;

/** Whether the change ends a turn with a result that fits its schema and a message. */
function hasResult({ entries = [], messages = [] }: Pick<RunChange, "entries" | "messages">): boolean {
  const last = entries.at(-1);
  if (last?.part !== "answer" || !fitsSchema(last.checked)) return false;
  const output = messages.find(({ role }) => role === "output_from_agent");
  return output !== undefined && Buffer.byteLength(output.text) < longResultBytes;
}

/** What the ids of all messages of a run begin with. */
export function messagesOf(runId: string): string {
  return `msg_${runId.replaceAll("-", "")}_`;
}

/** The id of the message that a turn waits for answers. `pauses`: that of the run then. */
export function messageIdOfPause({ runId, turn, pauses }: { runId: string; turn: number; pauses: number }): string {
  return `${messagesOf(runId)}${turn}_waiting_${pauses}`;
}

/** A retried turn can fail again. Other ends happen once. */
function timesFailed(type: DeliveryType, pauses: number): string {
  return type === "run.failed" && pauses > 0 ? `_${pauses}` : "";
}

/** The delivery to store along with a change. Undefined: the run has no webhook, or it is not reported. */
export function deliveryOf(change: RunChange, facts: RunFacts): Delivery | undefined {
  const { agentId, organizationId, webhook, pauses = 0 } = facts;
  const { runId, expect, set } = change;
  if (webhook === undefined || !set || !isReported(change)) return undefined;
  const { status, updatedAt: at, asks } = set;
  const type = asks ? "run.waiting" : typeOf[status];
  const messageId = asks
    ? messageIdOfPause({ runId, turn: expect.turn, pauses: asks.pauses })
    : `${messagesOf(runId)}${expect.turn}_${type.slice("run.".length)}${timesFailed(type, pauses)}`;
  const destination = webhook === "agent" ? undefined : URL.parse(webhook)?.host;
  return {
    id: messageId,
    messageId,
    agentId,
    organizationId,
    runId,
    ...(destination !== undefined && { destination }),
    turn: expect.turn,
    type,
    status,
    ...(hasResult(change) && { hasResult: true }),
    at,
    attempts: 0,
    state: "pending",
    nextAttemptAt: at,
  };
}

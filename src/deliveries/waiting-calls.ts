import { messageIdOfPause, type Delivery } from "../runs/deliveries.ts";
import { type AskedCall, askedCalls } from "../runs/read/open-calls.ts";
import type { ShortTurn } from "../runs/run-types.ts";

/** A call that waits, as a message names it. Without tool and arguments: they cannot be read by who sends the message. */
export type ReportedCall = Pick<AskedCall, "id" | "kind" | "since" | "until"> &
  Partial<Pick<AskedCall, "name" | "arguments" | "argumentsHash">>;

/** Bytes of UTF-8 that the arguments of all calls in a message have less than. */
const maxArgumentBytes = 65_536;

/**
 * The calls that wait since a delivery reported it. Undefined: the run does not wait any more, or again for others, or what
 * was answered cannot be read.
 */
export function reportedCalls({ messageId }: Delivery, { run, journal }: ShortTurn): ReportedCall[] | undefined {
  const { id, turn, pauses = 0, askedUntil } = run;
  if (askedUntil === undefined || messageId !== messageIdOfPause({ runId: id, turn, pauses })) return undefined;
  const step = journal.findLast((entry) => entry?.part === "asked")?.step;
  const asked = journal.findIndex((entry) => entry?.part === "asked" && entry.step === step);
  const ofStep = journal.findIndex((entry) => entry?.part === "answer" && entry.step === step);
  // Only answers follow what was asked: one that cannot be read may be of any call.
  if (asked < 0 || journal.slice(asked).includes(undefined)) return undefined;
  const readable = journal.filter((entry) => entry !== undefined);
  const open = askedCalls({ run, journal: readable }).filter((call) => call.step === step && !call.answer);
  if (ofStep < 0) return open.map(({ id: call, kind, since, until }) => ({ id: call, kind, since, until }));
  const bytes = open.reduce((sum, call) => sum + Buffer.byteLength(call.arguments), 0);
  return bytes < maxArgumentBytes ? open : open.map(({ arguments: _a, argumentsHash: _h, ...call }) => call);
}

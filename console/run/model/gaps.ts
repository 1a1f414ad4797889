import type { FailedEvent, ModelCallEvent, SummaryEvent, ToolResultEvent } from "../../api/types.ts";
import type { Call, Gap, Step } from "./types.ts";

/**
 * Time without any call from which on it counts as an interruption. Milliseconds. A turn normally continues within 20 ms;
 * a service that is killed and started again needs at least 300 ms.
 */
const shortestGap = 250;

/** Failed attempts of a turn that are recorded each. Of later ones only some are. */
const recordedFailures = 20;

/** Tool calls of one answer that run at the same time. Further ones start when one of them ends. */
const parallelCalls = 16;

/** The text that begins the result of a call that was interrupted and not repeated. */
const unknownEffect = "This call was interrupted.";

/**
 * Finds the times of a turn in which nothing ran. The journal has no entry for a crash: the next call starts late, since the
 * call in progress was lost and starts again. Waits between failed attempts of a model call are not gaps.
 */
export class GapFinder {
  #turn = 0;
  /** When the last event of the turn was recorded. Undefined: unknown, so the next call cannot be judged. */
  #last: number | undefined;
  /** The input has no event after it yet: the turn may have waited for a slot. */
  #starting = false;
  /** Until when the turn waits for the next attempt of a model call. */
  #waitsUntil = 0;
  #failures = 0;
  #steps = 0;
  /** Times of the current step's answer and results, ascending. */
  #marks: number[] = [];
  #gap: Gap | undefined;
  /** All calls of the current step started when the model had answered. */
  #allStarted = true;

  startTurn(turn: number, at: number | undefined): void {
    this.#turn = turn;
    this.#last = at;
    this.#starting = true;
    this.#waitsUntil = 0;
    this.#failures = 0;
  }

  /** An event was recorded that needs nothing else. */
  recorded(turn: number, at: number | undefined): void {
    if (turn !== this.#turn) this.startTurn(turn, at);
    this.#starting = false;
    this.#waitsUntil = 0;
    this.#last = at;
    if (at !== undefined) this.#marks.push(at);
  }

  answered(step: Step, at: number | undefined): void {
    this.#marks = [];
    this.#gap = undefined;
    this.#allStarted = step.calls.length <= parallelCalls;
    this.#steps++;
    this.recorded(step.turn, at);
  }

  failed(event: FailedEvent, at: number | undefined): void {
    this.recorded(event.turn, at);
    // The workflow decides when it calls again after an invocation's last attempt.
    this.#waitsUntil = event.last || at === undefined ? Infinity : at + (event.wait_ms ?? Infinity);
    this.#failures++;
  }

  /** The gap before a model call that started at a time. */
  beforeModelCall(event: ModelCallEvent | FailedEvent | SummaryEvent, startedAt: number | undefined): Gap | undefined {
    const last = this.#last;
    if (event.turn !== this.#turn || last === undefined || startedAt === undefined) return undefined;
    if (this.#starting || this.#failures >= recordedFailures || afterTimeout(event)) return undefined;
    const from = Math.max(last, this.#waitsUntil);
    if (startedAt - from < shortestGap) return undefined;
    return { ...this.#newGap(event.step, from, startedAt), during: "model_call" };
  }

  /**
   * The gap before a tool call whose result was recorded. Calls start when the model has answered, or when an earlier call
   * ends. Undefined also for further calls after the same gap, which are added to it.
   */
  ended(call: Call, event: ToolResultEvent, startedAt: number | undefined): Gap | undefined {
    const unknown = call.starts > 0 && event.is_error && event.text.startsWith(unknownEffect);
    if (unknown) call.interrupted = "unknown";
    if (startedAt === undefined) return undefined;
    const from = this.#marks.findLast((mark) => mark <= startedAt);
    const isLate = from !== undefined && startedAt - from >= shortestGap;
    const known = this.#gap && Math.abs(startedAt - this.#gap.until) < shortestGap ? this.#gap : undefined;
    // After a gap, the first result can be recorded before another call starts again.
    if (from === undefined || !(isLate || (known && this.#allStarted))) return undefined;
    if (!unknown) call.interrupted = "repeated";
    const gap = known ?? { ...this.#newGap(call.step, from, startedAt), during: "tool_calls" };
    (unknown ? gap.unknown : gap.repeated).push(call);
    this.#gap = gap;
    return known ? undefined : gap;
  }

  #newGap(step: number, from: number, until: number): Omit<Gap, "during"> {
    return { turn: this.#turn, step, from, until, stepsKept: this.#steps, repeated: [], unknown: [] };
  }
}

/** A final answer at the limit of seconds follows a model call that was aborted and is not recorded. */
function afterTimeout(event: ModelCallEvent | FailedEvent | SummaryEvent): boolean {
  return event.type === "model_call" && (event.ended === "seconds" || event.ended === "run_seconds");
}

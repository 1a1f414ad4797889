import type {
  AnsweredEvent,
  AskedEvent,
  CallOutput,
  FailedEvent,
  ForkedEvent,
  InputEvent,
  ModelCallEvent,
  OutputEvent,
  ResumedEvent,
  RunEvent,
  SummaryEvent,
  ToolResultEvent,
  ToolStartedEvent,
} from "../../api/types.ts";
import { loadedText, newCall, recorded, startOf, timeOf } from "./event-values.ts";
import { TimeMap } from "./time-map.ts";
import { addToolResult } from "./tool-totals.ts";
import type { Attempt, Gap, Message, Point, Row, Step, ToolTotal, Turn } from "./run-model-types.ts";

/** The text that begins the result of a call that was interrupted and not repeated. */
const unknownEffect = "This call was interrupted.";

/** Idle time between turns from which on the timeline shows it. Milliseconds. */
const shownIdle = 1_000;

/** Of a call whose provider reported nothing, recorded by an earlier release. */
const noTokens = { input_tokens: 0, output_tokens: 0, cached_input_tokens: 0 };

/**
 * A run as the page shows it: a fold over its events. Adding events takes time in proportion to their number, not to the
 * length of the run. Events that were added before are skipped, so a stream may repeat some.
 */
export class RunModel {
  readonly turns: Turn[] = [];
  readonly steps: Step[] = [];
  readonly rows: Row[] = [];
  readonly gaps: Gap[] = [];
  readonly tools = new Map<string, ToolTotal>();
  readonly points: Point[] = [];
  /** Steps whose tool calls changed files. */
  readonly fileSteps: Step[] = [];
  readonly time = new TimeMap();
  /** Where the run was forked. Undefined: nowhere, or the events are not loaded yet. */
  forked: ForkedEvent | undefined;
  /** Number of the last event. 0: none. */
  sequence = 0;
  /** When the last event was recorded. */
  lastAt: number | undefined;
  calls = 0;
  failedCalls = 0;
  failedAttempts = 0;
  #answers = 0;
  readonly #steps = new Map<string, Step>();

  add(events: RunEvent[]): void {
    for (const event of events) this.#addEvent(event);
  }

  /** Shows what a call of the last turn has printed so far. Ignored if the call has ended. */
  print({ step, call: index, text, characters }: CallOutput): void {
    const call = this.step(this.turns.at(-1)?.turn ?? 0, step)?.calls[index];
    if (call && !call.result) call.printed = { text, length: characters };
  }

  /** The step at a place of the run. */
  step(turn: number, step: number): Step | undefined {
    return this.#steps.get(`${turn}.${step}`);
  }

  #addEvent(event: RunEvent): void {
    if (event.sequence !== null) {
      if (event.sequence <= this.sequence) return;
      this.sequence = event.sequence;
    } else if (this.sequence > 0) return;
    const at = timeOf(event.at);
    switch (event.type) {
      case "input":
        this.#addInput(event, at);
        break;
      case "output":
        this.#addOutput(event, at);
        break;
      case "model_call":
        this.#addModelCall(event, at);
        break;
      case "model_call_failed":
        this.#addFailure(event, at);
        break;
      case "tool_started":
        this.#addStart(event, at);
        break;
      case "call_asked":
        this.#addAsked(event, at);
        break;
      case "call_answered":
        this.#addAnswer(event, at);
        break;
      case "tool_result":
        this.#addResult(event, at);
        break;
      case "summary":
        this.#addSummary(event, at);
        break;
      case "forked":
        this.forked = event;
        this.rows.push({ kind: "forked", key: `forked ${event.sequence}`, forked: event });
        if (at !== undefined) this.#turn(event.turn, at).forkedAt = at;
        break;
      case "resumed":
        this.#addGap(event, at);
        break;
    }
    if (at === undefined) return;
    this.lastAt = at;
    this.#turn(event.turn, at); // it lasts at least until its last event
  }

  #addInput(event: InputEvent, at: number | undefined): void {
    const before = this.turns.at(-1)?.endedAt;
    if (at !== undefined && before !== undefined && at - before >= shownIdle) {
      this.rows.push({ kind: "idle", key: `idle ${event.turn}`, from: before, until: at });
    }
    const turn = this.#turn(event.turn, at);
    if (event.agent_version !== null) turn.agentVersion = event.agent_version;
    turn.input = this.#addMessage("input", event, at);
    if (at !== undefined) this.time.add(at, at);
  }

  #addOutput(event: OutputEvent, at: number | undefined): void {
    const turn = this.#turn(event.turn, at);
    if (at !== undefined) turn.endedAt = at;
    turn.output = this.#addMessage("output", event, at);
  }

  #addMessage(role: Message["role"], event: InputEvent | OutputEvent, at: number | undefined): Message {
    const message: Message = { turn: event.turn, role, text: loadedText(event, "text", event.text) };
    if (at !== undefined) message.at = at;
    if (event.sequence !== null) message.sequence = event.sequence;
    this.rows.push({ kind: "message", key: `${role} ${event.turn}`, message });
    return message;
  }

  #addModelCall(event: ModelCallEvent, at: number | undefined): void {
    const startedAt = startOf(at, event.milliseconds);
    this.#addTime(startedAt, at);
    const step = this.#stepOf(event, startedAt);
    step.answered = true;
    this.#answers++;
    step.text = loadedText(event, "text", event.text);
    if (event.reasoning !== null) step.reasoning = loadedText(event, "reasoning", event.reasoning);
    step.calls = event.tool_calls.map((call, index) => newCall(event, call, index));
    const used = event.usage ?? event.estimated_usage;
    if (used) step.usage = used;
    step.estimated = event.estimated_usage !== null;
    Object.assign(
      step,
      recorded({
        sequence: event.sequence,
        startedAt,
        endedAt: at,
        milliseconds: event.milliseconds,
        firstTokenMs: event.first_token_ms,
        reasoningMs: event.reasoning_ms,
        model: event.model,
        dollars: event.dollars ?? event.estimated_dollars,
        finishReason: event.finish_reason,
        ended: event.ended,
        note: event.note,
        truncatedResults: event.truncated_results,
        problems: event.result_problems,
        fallback: event.fallback,
      }),
    );
    resume(step, startedAt);
    const turn = this.#turn(event.turn, at);
    if (event.agent_version !== null) turn.agentVersion ??= event.agent_version;
    this.calls += step.calls.length;
    this.#charge(event, at);
    if (event.ended !== null && event.ended !== "completed") this.#endTurn(turn, event.ended);
  }

  #endTurn(turn: Turn, reason: string): void {
    turn.ended = reason;
    this.rows.push({ kind: "limit", key: `limit ${turn.turn}`, turn, reason });
  }

  #addFailure(event: FailedEvent, at: number | undefined): void {
    const startedAt = startOf(at, event.milliseconds);
    this.#addTime(startedAt, at);
    const step = this.#stepOf(event, startedAt);
    resume(step, startedAt);
    const { category, title, attempt, last } = event;
    const failure: Attempt = { category, title, attempt, last };
    Object.assign(failure, recorded({ startedAt, endedAt: at, waitMs: event.wait_ms }));
    step.attempts.push(failure);
    this.failedAttempts++;
  }

  #addStart(event: ToolStartedEvent, at: number | undefined): void {
    const call = this.step(event.turn, event.step)?.calls[event.call];
    if (!call) return;
    call.starts++;
    if (at !== undefined) call.startedAt = at;
  }

  #addAsked({ turn, step, call, kind }: AskedEvent, at: number | undefined): void {
    const asked = this.step(turn, step)?.calls[call];
    if (asked) asked.asked = { kind, ...(at !== undefined && { at }) };
  }

  #addAnswer(event: AnsweredEvent, at: number | undefined): void {
    const asked = this.step(event.turn, event.step)?.calls[event.call]?.asked;
    if (!asked) return;
    const text = loadedText(event, "text", event.text ?? "");
    const { answer, answered_by, answered_by_name, sequence } = event;
    asked.answer = { answer, answered_by, answered_by_name, text, ...recorded({ at, sequence }) };
  }

  #addResult(event: ToolResultEvent, at: number | undefined): void {
    const call = this.step(event.turn, event.step)?.calls[event.call];
    if (!call) return;
    const startedAt = startOf(at, event.milliseconds);
    // A call with effects that has begun is reported instead of repeated.
    if (call.interrupted && call.starts > 0 && event.is_error && event.text.startsWith(unknownEffect)) {
      call.interrupted = "unknown";
    }
    call.result = loadedText(event, "text", event.text);
    call.failed = event.is_error;
    call.files = event.files;
    call.attachments = event.attachments;
    Object.assign(
      call,
      recorded({ startedAt, endedAt: at, milliseconds: event.milliseconds, sequence: event.sequence }),
    );
    if (event.is_error) this.failedCalls++;
    const step = this.step(event.turn, event.step);
    if (event.files.length > 0 && step && this.fileSteps.at(-1) !== step) this.fileSteps.push(step);
    this.#addTime(startedAt, at);
    addToolResult(this.tools, call);
  }

  #addSummary(event: SummaryEvent, at: number | undefined): void {
    const startedAt = startOf(at, event.milliseconds);
    this.#addTime(startedAt, at);
    this.#turn(event.turn, startedAt);
    this.rows.push({ kind: "summary", key: `summary ${event.turn}.${event.step}`, summary: event });
    this.#charge(event, at);
  }

  /** Adds the usage of a model call to the totals. */
  #charge(event: ModelCallEvent | SummaryEvent, at: number | undefined): void {
    const turn = this.#turn(event.turn, at);
    const used = event.usage ?? event.estimated_usage ?? noTokens;
    const dollars = event.dollars ?? event.estimated_dollars;
    const tokens = used.input_tokens + used.output_tokens;
    turn.tokens += tokens;
    if (dollars !== null) turn.dollars = (turn.dollars ?? 0) + dollars;
    const before = this.points.at(-1);
    const cached = used.cached_input_tokens ?? 0;
    this.points.push({
      turn: event.turn,
      step: event.step,
      ...(at !== undefined && { at }),
      tokens: (before?.tokens ?? 0) + tokens,
      cached: (before?.cached ?? 0) + cached,
      input: (before?.input ?? 0) + used.input_tokens - cached,
      output: (before?.output ?? 0) + used.output_tokens,
      dollars: (before?.dollars ?? 0) + (dollars ?? 0),
      stepDollars: dollars,
      priced: (before?.priced ?? true) && dollars !== null,
    });
  }

  /** A time in which a call ran. */
  #addTime(startedAt: number | undefined, at: number | undefined): void {
    if (startedAt !== undefined && at !== undefined) this.time.add(startedAt, at);
  }

  #addGap(event: ResumedEvent, at: number | undefined): void {
    if (at === undefined) return;
    const { turn, step, reason, repeats } = event;
    const known = this.step(turn, step);
    const calls = event.calls.flatMap((index) => known?.calls[index] ?? []);
    for (const call of calls) call.interrupted = "repeated";
    this.#turn(turn, at);
    this.#addTime(at, at);
    const gap: Gap = {
      turn,
      step,
      reason,
      from: this.lastAt ?? at,
      until: at,
      stepsKept: this.#answers,
      repeats,
      calls,
    };
    this.gaps.push(gap);
    this.rows.push({ kind: "gap", key: `gap ${this.gaps.length}`, gap });
  }

  /** The step of an event. The first event of a step begins it. */
  #stepOf({ turn, step }: { turn: number; step: number }, startedAt: number | undefined): Step {
    const key = `${turn}.${step}`;
    const known = this.#steps.get(key);
    if (known) return known;
    const text = { text: "", length: 0 };
    const created: Step = { turn, step, index: this.steps.length, text, answered: false, calls: [], attempts: [] };
    const itsTurn = this.#turn(turn, startedAt);
    itsTurn.steps.push(created);
    this.steps.push(created);
    this.#steps.set(key, created);
    this.rows.push({ kind: "step", key: `step ${key}`, step: created });
    return created;
  }

  /** The turn of an event. Its first event begins it. */
  #turn(number: number, at: number | undefined): Turn {
    const last = this.turns.at(-1);
    if (last?.turn === number) {
      if (at !== undefined) last.endedAt = Math.max(last.endedAt ?? 0, at);
      return last;
    }
    const known = this.turns.find((each) => each.turn === number);
    if (known) return known;
    const turn: Turn = { turn: number, steps: [], tokens: 0, ...(at !== undefined && { startedAt: at, endedAt: at }) };
    this.turns.push(turn);
    this.rows.push({ kind: "turn", key: `turn ${number}`, turn });
    return turn;
  }
}

/** Ends the wait after the last failed attempt. */
function resume(step: Step, startedAt: number | undefined): void {
  const attempt = step.attempts.at(-1);
  if (attempt && startedAt !== undefined) attempt.resumedAt = startedAt;
}

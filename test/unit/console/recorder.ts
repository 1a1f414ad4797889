import type { AnsweredEvent, ModelCallEvent, RunEvent, ToolResultEvent } from "../../../console/api/types.ts";

type Unstamped = RunEvent extends infer Event
  ? Event extends RunEvent
    ? Omit<Event, "sequence" | "at" | "turn">
    : never
  : never;

const usage = {
  input_tokens: 100,
  output_tokens: 10,
  cached_input_tokens: null,
  cache_write_input_tokens: null,
  reasoning_tokens: null,
};
const reported = { usage, dollars: 0.01, estimated_usage: null, estimated_dollars: null };

/** Records the events of a run as the service would, with a clock that moves by the durations of the calls. */
export class Recorder {
  readonly events: RunEvent[] = [];
  #now = Date.parse("2026-11-22T14:00:00.000Z");
  #turn = 0;
  #step = 0;
  #timed = true;

  /** Events of a version that recorded neither numbers nor times. */
  untimed(): this {
    this.#timed = false;
    return this;
  }

  /** Lets time pass in which nothing is recorded. */
  pass(milliseconds: number): this {
    this.#now += milliseconds;
    return this;
  }

  input(text: string): this {
    this.#turn++;
    this.#step = 0;
    return this.#record({ type: "input", text, agent_version: 1, started_by: null });
  }

  output(text: string): this {
    return this.#record({ type: "output", text });
  }

  /** A model call. `tools`: the tools that it calls. */
  answer(text: string, tools: string[], milliseconds: number, fields: Partial<ModelCallEvent> = {}): this {
    this.#step++;
    this.pass(milliseconds);
    return this.#record({
      type: "model_call",
      step: this.#step,
      text,
      reasoning: null,
      result_problems: null,
      reasoning_ms: null,
      first_token_ms: 40,
      tool_calls: tools.map((name) => ({ name, arguments: "{}" })),
      model: "model",
      finish_reason: tools.length > 0 ? "tool-calls" : "stop",
      ended: null,
      ...reported,
      milliseconds,
      note: null,
      configuration: null,
      agent_version: null,
      truncated_results: null,
      ...fields,
    });
  }

  started(call: number): this {
    return this.#record({ type: "tool_started", step: this.#step, call });
  }

  /** The result of a call. `after`: milliseconds since the last event. By default, the call began with that event. */
  result(call: number, milliseconds: number, fields: Partial<ToolResultEvent> = {}, after?: number): this {
    const last = this.events.findLast(({ type }) => type === "model_call")?.at ?? null;
    const begun = last === null ? 0 : this.#now - Date.parse(last);
    // Calls of one answer begin together, unless time has passed since.
    this.pass(after ?? (begun < milliseconds ? milliseconds - begun : milliseconds));
    const text = "ok";
    const result = {
      type: "tool_result",
      step: this.#step,
      call,
      name: this.#nameOf(call),
      text,
      is_error: false,
    } as const;
    return this.#record({ ...result, milliseconds, files: [], attachments: [], ...fields });
  }

  #nameOf(call: number): string {
    const answer = this.events.findLast((event) => event.type === "model_call");
    return (answer?.type === "model_call" && answer.tool_calls[call]?.name) || "tool";
  }

  /** The calls wait for an answer. */
  asked(...calls: number[]): this {
    const until = new Date(this.#now + 86_400_000).toISOString();
    for (const call of calls) {
      this.#record({ type: "call_asked", step: this.#step, call, name: this.#nameOf(call), kind: "approval", until });
    }
    return this;
  }

  answered(call: number, fields: Partial<AnsweredEvent> = {}): this {
    const answer = { answer: "allow", text: null, answered_by: "operator", answered_by_name: "mira" } as const;
    const of = { step: this.#step, call, name: this.#nameOf(call) };
    return this.#record({ type: "call_answered", ...of, ...answer, files: [], ...fields });
  }

  failed(wait: number | null, last = false): this {
    this.pass(200);
    const failure = { category: "model_unavailable", title: "Provider busy (429)", attempt: 1 } as const;
    return this.#record({
      type: "model_call_failed",
      step: this.#step + 1,
      ...failure,
      milliseconds: 200,
      wait_ms: wait,
      last,
      usage: null,
      dollars: null,
      estimated_usage: null,
      estimated_dollars: null,
    });
  }

  /** An interruption. `calls`: those of the last answer that had no result. */
  resumed(calls: number[] = []): this {
    const repeats = calls.length > 0 ? "tool_calls" : "model_call";
    const step = calls.length > 0 ? this.#step : this.#step + 1;
    return this.#record({ type: "resumed", step, instance: "i", reason: "restart", repeats, calls });
  }

  summary(milliseconds: number): this {
    this.#step++;
    this.pass(milliseconds);
    const covered = { text: "Summary.", messages: 4, through_turn: 0 };
    return this.#record({ type: "summary", step: this.#step, ...covered, ...reported, milliseconds });
  }

  #record(event: Unstamped): this {
    const sequence = this.#timed ? this.events.length + 1 : null;
    const at = this.#timed ? new Date(this.#now).toISOString() : null;
    this.events.push({ ...event, sequence, at, turn: this.#turn });
    return this;
  }
}

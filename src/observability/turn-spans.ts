import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from "@opentelemetry/api";
import type { Failure } from "../agent/model.ts";
import { addUsage, noUsage, type Usage } from "../agent/turn/turn-limits.ts";
import type { CallDetails, TurnEvent } from "../agent/turn/turn-types.ts";
import type { GenAiMetrics } from "./genai-metrics.ts";
import { modelContent, toolContent } from "./message-content.ts";
import { callAttributes, finishReasonOf, providerOf, serverOf, usageAttributes } from "./span-attributes.ts";

/** Attributes of a turn's spans. Never contains prompts, outputs or file contents. */
export interface TurnAttributes {
  runId: string;
  turn: number;
  agent: { id: string; name: string; version?: number };
  /** Of the run. */
  labels?: Record<string, string>;
  provider: string;
  model: string;
  /** URL of the model's server. Absent: the provider's own. */
  baseUrl?: string;
}

/** The spans of one invocation that advances a turn. */
export interface TurnTrace {
  emit: (event: TurnEvent) => void;
  /** Takes the input and output of the call whose end is emitted next. */
  observe: (details: CallDetails) => void;
  /** `failure`: the failure that ended the invocation. */
  end(failure?: Failure): void;
}

/** An event that ends a model call. */
type ModelCallEnd = Extract<TurnEvent, { type: "model-call-completed" | "model-call-failed" }>;
type Compacted = Extract<TurnEvent, { type: "conversation-compacted" }>;

interface Sinks {
  tracer: Tracer;
  /** Absent: none are sent. */
  metrics: GenAiMetrics | undefined;
  /** Texts become attributes. */
  content: boolean;
}

/** Writes the events of an invocation as spans below `invoke_agent`, and as metrics. */
export class TurnSpans implements TurnTrace {
  readonly #sinks: Sinks;
  readonly #model: string;
  /** What all spans have. */
  readonly #conversation: Attributes;
  /** Of the turn's own provider. */
  readonly #provider: Attributes;
  readonly #invoked: Attributes;
  readonly #startedAt = Date.now();
  readonly #root: Span;
  readonly #withinRoot: Context;
  #compaction: { span: Span; step: number; within: Context } | undefined;
  #details: CallDetails | undefined;
  #used: Usage = noUsage;

  constructor(sinks: Sinks, { runId, turn, agent, labels = {}, provider, model, baseUrl }: TurnAttributes) {
    this.#sinks = sinks;
    this.#model = model;
    this.#conversation = { "gen_ai.conversation.id": runId };
    this.#provider = { ...providerOf(provider), ...serverOf(baseUrl) };
    this.#invoked = {
      ...this.#provider,
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": agent.name,
      "gen_ai.request.model": model,
    };
    const attributes = {
      ...this.#invoked,
      ...this.#conversation,
      "gen_ai.agent.id": agent.id,
      ...(agent.version !== undefined && { "gen_ai.agent.version": String(agent.version) }),
      ...Object.fromEntries(Object.entries(labels).map(([name, value]) => [`agent_run.label.${name}`, value])),
      "agent_run.turn": turn,
    };
    const options = { root: true, kind: SpanKind.INTERNAL, attributes };
    this.#root = sinks.tracer.startSpan(`invoke_agent ${agent.name}`, options, ROOT_CONTEXT);
    this.#withinRoot = trace.setSpan(ROOT_CONTEXT, this.#root);
  }

  readonly observe = (details: CallDetails): void => {
    this.#details = details;
  };

  readonly emit = (event: TurnEvent): void => {
    if (this.#compaction && event.step !== this.#compaction.step) this.#endCompaction();
    this.#show(event);
    this.#details = undefined;
  };

  end(failure?: Failure): void {
    this.#endCompaction();
    if (this.#used.inputTokens > 0) this.#root.setAttributes(usageAttributes(this.#used));
    if (failure) {
      this.#root.setAttribute("error.type", failure.category);
      this.#root.setStatus({ code: SpanStatusCode.ERROR, message: failure.title });
    }
    this.#root.end();
    const error = failure && { "error.type": failure.category };
    this.#sinks.metrics?.agent.record((Date.now() - this.#startedAt) / 1_000, { ...this.#invoked, ...error });
  }

  #show(event: TurnEvent): void {
    switch (event.type) {
      case "model-call-completed":
      case "model-call-failed":
        return this.#chat(event);
      case "tool-call-completed":
        return this.#tool(event);
      case "conversation-compacted":
        return this.#compact(event);
      case "limit-reached":
        this.#root.setAttribute("agent_run.limit", `${event.of}.${event.reason}`);
        break;
      case "model-retry-scheduled":
        this.#root.addEvent(event.type, {
          "agent_run.step": event.step,
          "agent_run.wait_milliseconds": event.milliseconds,
        });
        break;
      case "fallback-asked":
        this.#root.addEvent(event.type, { "agent_run.step": event.step, "error.type": event.failure.category });
        break;
      case "model-call-started":
      case "tool-call-started": // their spans are written when they end
    }
  }

  #chat(event: ModelCallEnd): void {
    const { metrics, content } = this.#sinks;
    const { fallback, milliseconds, step } = event;
    const asked = fallback?.modelName ?? this.#model;
    const by = fallback?.provider === undefined ? this.#provider : providerOf(fallback.provider);
    const error = event.type === "model-call-failed" ? event.failure.category : undefined;
    const called = { ...by, "gen_ai.operation.name": "chat", "gen_ai.request.model": asked };
    const observed = this.#details?.of === "model" ? this.#details : undefined;
    const attributes = {
      ...called,
      ...this.#conversation,
      "agent_run.step": step,
      ...(observed && callAttributes(observed)),
      ...(event.type === "model-call-completed" && {
        ...(event.estimated ? {} : usageAttributes(event)),
        "gen_ai.response.finish_reasons": [finishReasonOf(event.stopReason)],
      }),
      ...(content && observed && modelContent(observed)),
    };
    this.#span(`chat ${asked}`, SpanKind.CLIENT, milliseconds, attributes, error);
    metrics?.modelCall.record(milliseconds / 1_000, { ...called, ...(error !== undefined && { "error.type": error }) });
    if (event.type === "model-call-failed" || event.estimated) return;
    const { inputTokens, outputTokens } = event;
    this.#used = addUsage(this.#used, { ...noUsage, ...event });
    metrics?.tokens.record(inputTokens, { ...called, "gen_ai.token.type": "input" });
    metrics?.tokens.record(outputTokens, { ...called, "gen_ai.token.type": "output" });
    const firstToken = observed?.outcome && "answer" in observed.outcome ? observed.outcome.firstTokenMs : undefined;
    if (firstToken !== undefined) metrics?.firstToken.record(firstToken / 1_000, called);
  }

  #tool(event: Extract<TurnEvent, { type: "tool-call-completed" }>): void {
    const { metrics, content } = this.#sinks;
    const { name, callId, milliseconds, step } = event;
    const error = event.error ? "tool_error" : undefined;
    const called = {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": name,
      "gen_ai.tool.type": "function",
    };
    const attributes = {
      ...called,
      "gen_ai.tool.call.id": callId,
      "agent_run.step": step,
      ...(content && this.#details?.of === "tool" && toolContent(this.#details)),
    };
    this.#span(`execute_tool ${name}`, SpanKind.INTERNAL, milliseconds, attributes, error);
    metrics?.tool.record(milliseconds / 1_000, { ...called, ...(error !== undefined && { "error.type": error }) });
  }

  /** Writes the span of a call that has ended. */
  #span(name: string, kind: SpanKind, milliseconds: number, attributes: Attributes, error?: string): void {
    const endTime = Date.now();
    const within = this.#compaction?.within ?? this.#withinRoot;
    const span = this.#sinks.tracer.startSpan(name, { kind, attributes, startTime: endTime - milliseconds }, within);
    if (error !== undefined) {
      span.setAttribute("error.type", error);
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    span.end(endTime);
  }

  /** Begins the span of a compaction. That of a summary ends with its step. */
  #compact({ step, truncatedMessages, summarizedMessages }: Compacted): void {
    this.#endCompaction();
    const attributes = {
      "agent_run.step": step,
      ...(truncatedMessages !== undefined && { "agent_run.compaction.truncated_messages": truncatedMessages }),
      ...(summarizedMessages !== undefined && { "agent_run.compaction.summarized_messages": summarizedMessages }),
    };
    const options = { kind: SpanKind.INTERNAL, attributes };
    const span = this.#sinks.tracer.startSpan("compact_conversation", options, this.#withinRoot);
    if (summarizedMessages === undefined) span.end();
    else this.#compaction = { span, step, within: trace.setSpan(ROOT_CONTEXT, span) };
  }

  #endCompaction(): void {
    this.#compaction?.span.end();
    this.#compaction = undefined;
  }
}

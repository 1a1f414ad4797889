import type { TokenUsage } from "../../src/agent/model.ts";
import type { RunJournalEntry } from "../../src/runs/types.ts";
import type { Output } from "./command.ts";
import { printable } from "./output.ts";

/** A record as programs get it; its texts are shortened to `shown` characters. */
export type StepEvent = { turn: number; step: number; event: string } & Record<string, unknown>;

const shown = 300;

/** What a step left behind, one event a record, in the words of `--json`. */
export function stepEvent(record: RunJournalEntry): StepEvent {
  const { turn, step } = record;
  switch (record.part) {
    case "answer": {
      const { answer, model, milliseconds, dollars, ended } = record;
      return {
        turn,
        step,
        event: "model-answered",
        model,
        milliseconds,
        dollars,
        ...tokensOf(answer.usage),
        finish_reason: answer.finishReason,
        ended,
        text: shortened(answer.text),
        tool_calls: answer.toolCalls.map(({ name, input }) => ({ name, input: shortened(JSON.stringify(input)) })),
      };
    }
    case "summary": {
      const { usage, dollars, messages, text } = record;
      return {
        turn,
        step,
        event: "conversation-summarised",
        messages,
        dollars,
        ...tokensOf(usage),
        text: shortened(text),
      };
    }
    case "began":
      return { turn, step, event: "tool-began", call: record.call };
    case "result": {
      const { call, milliseconds, result } = record;
      return {
        turn,
        step,
        event: "tool-ended",
        call,
        name: result.name,
        milliseconds,
        error: result.error === true,
        text: shortened(result.text),
      };
    }
  }
}

/** An event as a line for people, the model's text and tool calls in lines below it. */
export function eventText({ turn, step, event, ...more }: StepEvent): string {
  const at = `turn ${turn}, step ${step}`;
  const calls = (more["tool_calls"] ?? []) as { name: string; input: string }[];
  const facts: (string | false)[] = [
    event.replaceAll("-", " "),
    typeof more["model"] === "string" && more["model"],
    typeof more["name"] === "string" && `${more["name"]} (call ${Number(more["call"]) + 1})`,
    more["error"] === true && "with an error",
    typeof more["messages"] === "number" && `${more["messages"]} messages`,
    typeof more["milliseconds"] === "number" && `${more["milliseconds"]} ms`,
    typeof more["input_tokens"] === "number" && tokensText(more),
    typeof more["dollars"] === "number" && `$${more["dollars"].toFixed(6)}`,
    typeof more["ended"] === "string" && `ended by ${more["ended"]}`,
  ];
  const lines = [
    `${at}: ${facts.filter((fact) => fact !== false).join(", ")}`,
    ...(typeof more["text"] === "string" && more["text"] !== "" ? [indented(more["text"])] : []),
    ...calls.map(({ name, input }, index) => indented(`call ${index + 1}: ${name} ${input}`)),
  ];
  return printable(lines.join("\n"));
}

/** Both, as a command's output. */
export function eventOutput(record: RunJournalEntry): Output {
  const event = stepEvent(record);
  return { text: eventText(event), json: event };
}

function tokensOf(usage: TokenUsage) {
  return {
    input_tokens: usage.inputTokens,
    cached_input_tokens: usage.cachedInputTokens,
    cache_write_input_tokens: usage.cacheWriteInputTokens,
    output_tokens: usage.outputTokens,
    reasoning_tokens: usage.reasoningTokens,
  };
}

function tokensText(more: Record<string, unknown>): string {
  const part = (name: string, label: string) => (more[name] === undefined ? "" : ` (${Number(more[name])} ${label})`);
  const input = `${Number(more["input_tokens"])}${part("cached_input_tokens", "cached")}${part("cache_write_input_tokens", "to the cache")}`;
  const output = `${Number(more["output_tokens"])}${part("reasoning_tokens", "reasoning")}`;
  return `${input} tokens in, ${output} out`;
}

function shortened(text = ""): string {
  return text.length > shown ? `${text.slice(0, shown).toWellFormed()}… (${text.length} characters)` : text;
}

function indented(text: string): string {
  return text.replace(/^/gm, "    ");
}

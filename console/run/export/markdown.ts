import type { ModelCallEvent, RunEvent } from "../../api/types.ts";
import type { RunDetail } from "../api.ts";

/** A run as Markdown: what was asked for, what the agent did in each step, and what it answered. */
export function markdownOf(detail: RunDetail, events: RunEvent[]): string {
  const steps = new Map<string, ModelCallEvent>();
  const parts = events.flatMap((event): string[] => {
    switch (event.type) {
      case "input":
        return [`## Turn ${event.turn}`, "### Input", quoted(event.text)];
      case "output":
        return ["### Output", quoted(event.text)];
      case "model_call":
        steps.set(`${event.turn}.${event.step}`, event);
        return stepParts(event);
      case "tool_result": {
        const name = steps.get(`${event.turn}.${event.step}`)?.tool_calls[event.call]?.name ?? "a tool";
        return [`${event.is_error ? "Error" : "Result"} of ${code(name)}:`, fenced(event.text)];
      }
      case "summary":
        return [`### Summary of ${event.messages} messages`, quoted(event.text)];
      case "model_call_failed":
        return [`Model call of step ${event.step} failed, attempt ${event.attempt}: ${line(event.title)}`];
      case "resumed":
        return [`Resumed at step ${event.step}: ${line(event.reason)}`];
      case "forked":
        return [`Forked from run ${code(event.from_run)} after step ${event.step}.`];
      case "call_asked":
        return [`Call ${event.call} of step ${event.step} waits for an answer (${event.kind}).`];
      case "call_answered":
        return [`Answer to call ${event.call} of step ${event.step}: ${event.answer}.`];
      case "tool_started":
        return []; // its result follows
    }
  });
  return [`# ${line(detail.name)}`, facts(detail), ...parts].join("\n\n") + "\n";
}

/** Answers that end a turn are its output, which follows. */
function stepParts({ step, text, reasoning, tool_calls: calls }: ModelCallEvent): string[] {
  return [
    `### Step ${step}`,
    ...(reasoning ? ["Thinking:", quoted(reasoning)] : []),
    ...(text.trim() !== "" && calls.length > 0 ? [quoted(text)] : []),
    ...calls.flatMap((call) => [`Call of ${code(call.name)}:`, fenced(call.arguments, "json")]),
  ];
}

function facts({
  id,
  status,
  agent_name: agent,
  agent_version: version,
  model,
  created_at,
  usage,
  failure,
}: RunDetail): string {
  const rows: [string, string | null][] = [
    ["Run", id],
    ["Status", status],
    ["Agent", agent === null ? null : `${agent}${version === null ? "" : `, version ${version}`}`],
    ["Model", model],
    ["Created", created_at],
    ["Steps", String(usage.steps)],
    ["Failure", failure && `${failure.title} ${failure.remedy}`],
  ];
  return rows.flatMap(([name, value]) => (value === null ? [] : `- ${name}: ${line(value)}`)).join("\n");
}

/** In one line, without what Markdown or HTML would take for markup. */
function line(text: string): string {
  return text.replaceAll(/\s+/g, " ").replaceAll(/[\\`*_{}[\]<>#|~!]/g, String.raw`\$&`);
}

function code(text: string): string {
  return fence("`", text, (ticks) => `${ticks} ${text.replaceAll(/\s+/g, " ")} ${ticks}`);
}

function fenced(text: string, language = ""): string {
  return fence("```", text, (ticks) => `${ticks}${language}\n${text}\n${ticks}`);
}

/** More backticks than the text has in a row. */
function fence(shortest: string, text: string, write: (ticks: string) => string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  return write("`".repeat(Math.max(shortest.length, longest + 1)));
}

/** A text that may itself be Markdown. As a quotation, it cannot change what follows. */
function quoted(text: string): string {
  return text
    .split("\n")
    .map((each) => `> ${each}`)
    .join("\n");
}

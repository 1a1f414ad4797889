import type { ModelRequest, RequestMessage } from "../../api.ts";
import { visibleLine } from "../../text/visible.ts";
import { count } from "../../text/words.ts";

/** How the request of a step differs from the one before it. */
export interface RequestChange {
  /** Messages from the first one on that both have. */
  kept: number;
  /** Messages of the request before that this one lacks: a summary replaced them, or results were truncated. */
  removed: RequestMessage[];
  added: RequestMessage[];
  instructionsChanged: boolean;
  toolsAdded: string[];
  toolsRemoved: string[];
  modelBefore: string | undefined;
}

/** Compares two requests. `before` undefined: all messages are new. */
export function requestChange(before: ModelRequest | undefined, after: ModelRequest): RequestChange {
  const old = before?.messages ?? [];
  let kept = 0;
  while (kept < old.length && kept < after.messages.length && same(old[kept], after.messages[kept])) kept++;
  return {
    kept,
    removed: old.slice(kept),
    added: after.messages.slice(kept),
    instructionsChanged: before !== undefined && before.instructions !== after.instructions,
    toolsAdded: before ? names(after).filter((name) => !names(before).includes(name)) : [],
    toolsRemoved: names(before).filter((name) => !names(after).includes(name)),
    modelBefore: before && before.model !== after.model ? (before.model ?? undefined) : undefined,
  };
}

function names(request: ModelRequest | undefined): string[] {
  return request?.tools.map(({ name }) => name) ?? [];
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** What changed, in a few sentences. `before`: name of the step before, if there is one. */
export function changeText(change: RequestChange, before: string | undefined): string {
  const added = `${count(change.added.length, "message")}.`;
  if (before === undefined) return added;
  const replaced = change.removed.length > 0 ? `, ${change.removed.length} replaced` : "";
  return [
    `${count(change.kept, "message")} as in ${before}${replaced}, ${change.added.length} new.`,
    change.instructionsChanged ? "Instructions changed." : "Instructions unchanged.",
    ...namesText("Tools added", change.toolsAdded),
    ...namesText("Tools removed", change.toolsRemoved),
    ...(change.modelBefore === undefined ? [] : [`Model before: ${visibleLine(change.modelBefore, 80)}.`]),
  ].join(" ");
}

function namesText(label: string, tools: string[]): string[] {
  return tools.length === 0 ? [] : [`${label}: ${tools.map((name) => visibleLine(name, 40)).join(", ")}.`];
}

/** A message as text: what was said, called or returned. */
export function messageText(message: RequestMessage): string {
  switch (message.role) {
    case "user":
      return message.text;
    case "assistant":
      return [message.text, ...message.tool_calls.map((call) => `${call.name} ${call.arguments}`)]
        .filter((part) => part !== "")
        .join("\n\n");
    case "tool":
      return message.results.map((result) => `${result.name}:\n${result.text}`).join("\n\n");
  }
}

/** Who wrote a message. */
export function messageAuthor(message: RequestMessage): string {
  if (message.role === "user") return message.note ? "Service" : "Input";
  if (message.role === "assistant") return "Model";
  return message.results.length === 1 ? "Tool result" : `${message.results.length} tool results`;
}

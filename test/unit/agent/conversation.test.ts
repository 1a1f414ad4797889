import { expect, test } from "vitest";
import type { Message } from "../../../src/agent/model.ts";
import { buildEcho, toPrompt } from "../../../src/agent/models/to-prompt.ts";

const options = { origin: "p m", attachments: new Map(), toolCallsAsText: false };

test.each([
  ["read file!", "read_file_"],
  ["x".repeat(100), "x".repeat(64)],
  ["", "unnamed"],
  ["mcp__server-1_tool", "mcp__server-1_tool"],
])("sends the tool name %j as %j, in the call and its result, with and without an echo", (name, sent) => {
  const call = { id: "c", name, input: {} };
  const results: Message = {
    role: "tool",
    results: [{ callId: "c", name, text: "There is no such tool.", error: true }],
  };
  const parts = [{ type: "tool-call" as const, toolCallId: "c", toolName: name, input: {} }];
  const echo = buildEcho("p m", parts);
  for (const answer of [
    { text: "", toolCalls: [call] },
    { text: "", toolCalls: [call], echo },
  ]) {
    expect(toPrompt("", [{ role: "assistant", answer }, results], options)).toMatchObject([
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "c", toolName: sent }] },
      { role: "tool", content: [{ type: "tool-result", toolCallId: "c", toolName: sent }] },
    ]);
  }
});

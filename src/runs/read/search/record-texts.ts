import { exactInput } from "../../../agent/model.ts";
import { isRawNumber } from "../../../json.ts";
import { reasoningText } from "../../../agent/reasoning.ts";
import type { RunEvent } from "../../run-types.ts";
import type { textKinds } from "./search-bounds.ts";

/** A text of a record. `tool` and `call`: the name and the index of a tool call, of which it is a part. */
export interface RecordText {
  kind: (typeof textKinds)[number];
  tool?: string;
  call?: number;
  text: string;
}

/** The texts of a record that are searched. */
export function textsOf(event: RunEvent): RecordText[] {
  if (!("part" in event)) return [{ kind: event.role === "input_to_agent" ? "input" : "answer", text: event.text }];
  switch (event.part) {
    case "answer": {
      const { answer } = event;
      const reasoning = reasoningText(answer);
      return [
        ...(reasoning === undefined ? [] : [{ kind: "reasoning", text: reasoning } as const]),
        ...(answer.text === "" ? [] : [{ kind: "answer", text: answer.text } as const]),
        ...answer.toolCalls.map((each, call) => {
          return { kind: "tool_call", tool: each.name, call, text: each.invalid ?? textIn(exactInput(each)) } as const;
        }),
      ];
    }
    case "result": {
      const { name, text, error } = event.result;
      return [{ kind: error ? "error" : "tool_result", tool: name, call: event.call, text }];
    }
    case "answered": {
      const { answer, call } = event;
      const text = answer.kind === "deny" ? answer.reason : undefined; // others are in the result of the call
      return text === undefined ? [] : [{ kind: "error", call, text }];
    }
    case "failed":
      return [{ kind: "error", text: event.failure.title }];
    case "asked":
    case "began":
    case "forked":
    case "resumed":
    case "summary":
      return []; // a summary repeats what other records say
  }
}

/** Names and values of a call's arguments, without the escapes of JSON, in which `\n` would be a part of a word. */
function textIn(input: unknown): string {
  if (typeof input !== "object" || input === null || isRawNumber(input))
    return typeof input === "string" ? input : JSON.stringify(input ?? "");
  if (Array.isArray(input)) return input.map(textIn).join(", ");
  return Object.entries(input)
    .map(([name, value]) => `${name}: ${textIn(value)}`)
    .join(", ");
}

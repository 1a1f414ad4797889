import { expect, test } from "vitest";
import type { ModelRequest, RequestMessage } from "../../../console/run/api.ts";
import { contextUse } from "../../../console/run/inspector/context-parts.ts";

const input: RequestMessage = { role: "user", text: "i".repeat(300), note: false, attachments: [] };
const note: RequestMessage = { role: "user", text: "n".repeat(100), note: true, attachments: [] };
const result: RequestMessage = {
  role: "tool",
  results: [{ name: "read_file", text: `${"é".repeat(194)}!`, is_error: false, attachments: [] }],
};
const request: ModelRequest = {
  instructions: "x".repeat(200),
  messages: [input, note, result],
  tools: [],
  parameters: null,
  provider: "demo",
  model: "demo",
  context_tokens: 1_000,
  configuration: "0",
  environment: null,
};

test("a context has the tokens that the provider counted, and shares of them by size", () => {
  expect(contextUse(request, 500)).toEqual({
    tokens: 500,
    of: 1_000,
    counted: true,
    parts: [
      { name: "Tool results", tokens: 200 },
      { name: "Inputs", tokens: 150 },
      { name: "Instructions", tokens: 100 },
      { name: "Notes and files", tokens: 50 },
    ],
  });
});

test("a context is estimated where the provider counted nothing", () => {
  const parts = [{ name: "Instructions", tokens: 67 }];
  for (const counted of [0, undefined]) {
    expect(contextUse({ ...request, messages: [] }, counted)).toEqual({ tokens: 67, of: 1_000, counted: false, parts });
  }
});

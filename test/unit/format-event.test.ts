import { expect, test } from "vitest";
import { eventOutput } from "../../bin/admin/format-event.ts";
import { toolsNote } from "../../src/agent/turn/tool-notes.ts";
import { anAnswer } from "../platform/run-fixtures.ts";

const shown = (note?: string) =>
  eventOutput({ turn: 1, step: 1, part: "answer", answer: anAnswer, ...(note !== undefined && { note }) });

test("an answer shows the reasoning before it", () => {
  const answer = { ...anAnswer, reasoning: { text: "Two files." } };
  const { text, json } = eventOutput({ turn: 1, step: 1, part: "answer", answer });
  expect(text).toContain("\n    thought: Two files.\n    Done.");
  expect(json).toMatchObject({ reasoning: "Two files.", text: "Done." });
  expect(JSON.stringify(shown().json)).not.toContain("reasoning");
});

test("an answer shows which tools were missing, from the recorded note", () => {
  const unavailable = "run_shell is not available: install bubblewrap.";
  const definition = { name: "run_shell", description: "", input: {} };
  const missing = toolsNote([{ definition, unavailable }]);
  const files = "Files in the workspace:\na.txt (3 bytes)";
  for (const note of [missing, `${missing}\n\n${files}`]) {
    const { text, json } = shown(note);
    expect(json).toMatchObject({ tool_notes: [unavailable] });
    expect(text).toContain(`\n    tool: ${unavailable}\n`);
  }
  for (const note of [undefined, files]) {
    expect(shown(note).text).not.toContain("tool: ");
    expect(JSON.stringify(shown(note).json)).not.toContain("tool_notes");
  }
});

test("an answer of the fallback shows its configuration, and why the first model did not answer", () => {
  const failure = { category: "model_unavailable", title: "The model server answered 503: down" } as const;
  const fallback = { model: "small", configuration: "backup", failure };
  const { text, json } = eventOutput({ turn: 1, step: 1, part: "answer", answer: anAnswer, model: "small", fallback });
  expect(text).toContain("model call completed, small, fallback backup, ");
  expect(text).toContain("\n    fallback: The model server answered 503: down\n");
  expect(json).toMatchObject({ fallback: "backup", fallback_because: failure.title });
});

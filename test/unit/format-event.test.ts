import { expect, test } from "vitest";
import { eventOutput } from "../../bin/admin/format-event.ts";
import { missingToolsNote } from "../../src/agent/turn/missing-tools.ts";
import { anAnswer } from "../platform/run-fixtures.ts";

const shown = (note?: string) =>
  eventOutput({ turn: 1, step: 1, part: "answer", answer: anAnswer, ...(note !== undefined && { note }) });

test("an answer shows which tools were missing, from the recorded note", () => {
  const unavailable = "run_shell is not available: install bubblewrap.";
  const definition = { name: "run_shell", description: "", input: {} };
  const missing = missingToolsNote([{ definition, unavailable }]);
  const files = "Files in the workspace:\na.txt (3 bytes)";
  for (const note of [missing, `${missing}\n\n${files}`]) {
    const { text, json } = shown(note);
    expect(json).toMatchObject({ missing_tools: [unavailable] });
    expect(text).toContain(`\n    missing tool: ${unavailable}\n`);
  }
  for (const note of [undefined, files]) {
    expect(shown(note).text).not.toContain("missing tool");
    expect(JSON.stringify(shown(note).json)).not.toContain("missing_tools");
  }
});

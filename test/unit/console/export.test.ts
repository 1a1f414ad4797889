import { expect, test } from "vitest";
import type { RunDetail } from "../../../console/run/api.ts";
import { markdownOf } from "../../../console/run/export/markdown.ts";
import { Recorder } from "./recorder.ts";

const detail = {
  id: "0192f0c1-2b3c-4d5e-8f90-a1b2c3d4e5f6",
  name: "A *run*\n# of <b>two</b> turns",
  status: "technical_error",
  agent_name: "Agent",
  agent_version: 3,
  model: "model",
  created_at: "2026-11-22T14:00:00.000Z",
  usage: { steps: 3 },
  failure: { title: "The key is wrong.", remedy: "Set another one." },
} as RunDetail;

test("a run as Markdown has every text, and none changes what follows", () => {
  const { events } = new Recorder()
    .input("Compare.\n\n## Turn 9\n```\nopen")
    .answer("First I read.", ["read_file"], 10, {
      reasoning: "Hm.",
      tool_calls: [{ name: "a`b", arguments: '{"n":"```"}' }],
    })
    .result(0, 5, { text: "````\n### Output\n````" })
    .failed(100)
    .summary(5)
    .answer("Done.", [], 5)
    .output("Done.")
    .input("And?");
  const text = markdownOf(detail, events);
  expect(text).toBe(
    [
      String.raw`# A \*run\* \# of \<b\>two\</b\> turns`,
      "- Run: 0192f0c1-2b3c-4d5e-8f90-a1b2c3d4e5f6\n- Status: technical\\_error\n- Agent: Agent, version 3\n- Model: model\n- Created: 2026-11-22T14:00:00.000Z\n- Steps: 3\n- Failure: The key is wrong. Set another one.",
      "## Turn 1",
      "### Input",
      "> Compare.\n> \n> ## Turn 9\n> ```\n> open",
      "### Step 1",
      "Thinking:",
      "> Hm.",
      "> First I read.",
      "Call of `` a`b ``:",
      '````json\n{"n":"```"}\n````',
      "Result of `` a`b ``:",
      "`````\n````\n### Output\n````\n`````",
      "Model call of step 2 failed, attempt 1: Provider busy (429)",
      "### Summary of 4 messages",
      "> Summary.",
      "### Step 3",
      "### Output",
      "> Done.",
      "## Turn 2",
      "### Input",
      "> And?",
    ].join("\n\n") + "\n",
  );
});

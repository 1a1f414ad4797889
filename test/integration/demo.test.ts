import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { runScript } from "./script.ts";

test("the demo loses nothing in two kills, and pays twice for the two model calls that were in progress", async () => {
  const { code, stdout, stderr } = await runScript("bin/demo.ts", ["--once", "--json", "--delay", "150"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(JSON.parse(stdout)).toEqual({
    run_id: expect.any(String),
    status: "finished",
    steps: 12,
    repeated_steps: [5, 10],
    lost_events: 0,
    model_calls_received: 14,
    model_calls_paid_twice: 2,
    kills: [
      { during_step: 5, recorded_steps: 4, down_milliseconds: expect.any(Number) },
      { during_step: 10, recorded_steps: 9, down_milliseconds: expect.any(Number) },
    ],
    seconds: expect.any(Number),
    output: expect.stringMatching(/^# Orders[^]*north {2}1730\.50\n[^]*west {2}302 {2}-49\.00$/),
    timeline_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/console\/runs\/[0-9a-f-]{36}#ao_\w+$/),
  });
  expect(readdirSync(tmpdir()).filter((name) => name.startsWith("agent-run-demo-"))).toEqual([]);
});

test("the demo of a trial finds the two runs that a draft breaks and the one that it makes cheaper, and says when it cannot", async () => {
  const args = ["--trial", "--once", "--json", "--delay", "1"];
  const { code, stdout, stderr } = await runScript("bin/demo.ts", args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const found = JSON.parse(stdout) as Record<"trial" | "varying_model", Record<string, unknown>>;
  expect(found).toMatchObject({
    recorded_runs: 10,
    trial: {
      summary: expect.stringContaining("10 tried · 8 same · 2 different · current against itself: 0 of 10 differ"),
      different: ["Order 03", "Order 08"],
      cheaper: ["Order 06"],
      control: { cases: 10, differ: 0, cannot_judge: null },
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/console\/trials\/trial-[0-9a-f-]{36}#ao_\w+$/),
    },
    varying_model: {
      control: {
        cases: 10,
        differ: 7,
        cannot_judge: expect.stringContaining("cannot be repeated well enough to judge the change"),
      },
    },
  });
  expect(readdirSync(tmpdir()).filter((name) => name.startsWith("agent-run-demo-"))).toEqual([]);
});

test("the demo rejects a wrong option before it starts anything", async () => {
  const { code, stdout, stderr } = await runScript("bin/demo.ts", ["--delay", "soon"]);
  const error = 'npm run demo: --delay is "soon"; expected a whole number from 1 to 10000\n';
  expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: "", stderr: error });
});

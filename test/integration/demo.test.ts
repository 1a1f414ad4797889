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

test("the demo rejects a wrong option before it starts anything", async () => {
  const { code, stdout, stderr } = await runScript("bin/demo.ts", ["--delay", "soon"]);
  const error = 'npm run demo: --delay is "soon"; expected a whole number from 1 to 10000\n';
  expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: "", stderr: error });
});

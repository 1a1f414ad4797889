import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
  failPolicy,
  graceSeconds,
  reconcileSeconds,
  sweepMinutes,
  sweepSeconds,
} from "../../../src/workflow/policy.ts";

// The longest time in seconds that an orphaned run stays `running`, while AWS accepts our calls.

/** EventBridge starts a schedule within its minute, not at the first second. */
const clock = 60;

/** A sweep has just missed the run, the next sweep fails, and the one after that checks this run last. */
const swept = clock + 2 * sweepMinutes * 60 + sweepSeconds;

/** Lambda retries a failed event twice, after one minute and after two. */
const reconciled = 3 * reconcileSeconds + 60 + 120;

const delays = Array.from({ length: failPolicy.maxRetries }, (_, retry) =>
  Math.min(failPolicy.firstDelaySeconds * failPolicy.backoffRate ** retry, failPolicy.maxDelaySeconds),
);
/** The `fail` task hangs each time, and jitter never shortens its delays. */
const failed = (failPolicy.maxRetries + 1) * failPolicy.taskSeconds + delays.reduce((sum, delay) => sum + delay);

/** From the moment in the name. The sweep skips a turn during its grace period. */
const worst = {
  "its execution failed, and reconcile works": reconciled,
  "its execution failed, and the event for reconcile is lost": graceSeconds + swept,
  "its execution could not be started": graceSeconds + swept,
  "it is past its deadline, and its execution is running": graceSeconds + swept,
  "advance failed, and fail works on its last attempt": failed,
  "advance and fail failed, and reconcile works": failed + reconciled,
  "advance, fail and reconcile failed": Math.max(failed, graceSeconds) + swept,
};

test.each(Object.entries(worst))("ends within ten minutes: %s", (_, seconds) => {
  expect(seconds).toBeLessThanOrEqual(600);
});

function minutes(seconds: number): string {
  return String(Math.ceil(seconds / 60));
}

test("docs/operations.md states these times", () => {
  const runbook = readFileSync(new URL("../../../docs/operations.md", import.meta.url), "utf8");
  const [section = ""] = /^Worst-case time to a final status:\n[^]*?\n\n[^|]/m.exec(runbook) ?? [];
  expect([...section.matchAll(/\| +(\d+) \|$/gm)].map(([, figure]) => figure)).toEqual([
    minutes(worst["its execution failed, and reconcile works"]),
    minutes(worst["its execution could not be started"]),
    minutes(Math.max(...Object.values(worst))),
  ]);
});

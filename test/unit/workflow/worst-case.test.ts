import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
  failPolicy,
  graceSeconds,
  reconcileSeconds,
  sweepMinutes,
  sweepSeconds,
} from "../../../src/workflow/policy.ts";

// How long a run may stay `running` at most once nobody works on it, in seconds, while AWS takes our calls.

/** EventBridge starts what is scheduled within the minute that it names, not at its first second. */
const clock = 60;

/** A sweep has just begun without this run, the next one fails, and the one after that comes to it last. */
const swept = clock + 2 * sweepMinutes * 60 + sweepSeconds;

/** Lambda calls a function that failed on an event twice more, after one minute and after two. */
const reconciled = 3 * reconcileSeconds + 60 + 120;

const delays = Array.from({ length: failPolicy.maxAttempts }, (_, retry) =>
  Math.min(failPolicy.firstDelaySeconds * failPolicy.backoffRate ** retry, failPolicy.maxDelaySeconds),
);
/** The `fail` task hangs each time, and its delays are never shortened by the jitter. */
const failed = (failPolicy.maxAttempts + 1) * failPolicy.taskSeconds + delays.reduce((sum, delay) => sum + delay);

/** From the moment in the name on. The sweep leaves a turn alone until its grace is over. */
const worst = {
  "its execution ended otherwise, and reconcile works": reconciled,
  "its execution ended otherwise, and reconcile's event is lost": graceSeconds + swept,
  "its execution could not be started": graceSeconds + swept,
  "it is past its deadline, and its execution goes on": graceSeconds + swept,
  "advance gave up, and fail works at last": failed,
  "advance gave up, fail does not work, and reconcile does": failed + reconciled,
  "advance gave up, and neither fail nor reconcile works": Math.max(failed, graceSeconds) + swept,
};

test.each(Object.entries(worst))("within ten minutes: %s", (_, seconds) => {
  expect(seconds).toBeLessThanOrEqual(600);
});

function minutes(seconds: number): string {
  return String(Math.ceil(seconds / 60));
}

test("the runbook says how long", () => {
  const runbook = readFileSync(new URL("../../../docs/operations.md", import.meta.url), "utf8");
  const [said = ""] = /^At the worst a run has its final status[^]*?\n\n/m.exec(runbook) ?? [];
  expect([...said.matchAll(/\bwithin (\d+)/g)].map(([, figure]) => figure)).toEqual([
    minutes(worst["its execution ended otherwise, and reconcile works"]),
    minutes(worst["its execution could not be started"]),
    minutes(Math.max(...Object.values(worst))),
  ]);
});

import { expect, test } from "vitest";
import { sweepMinutes } from "../../src/workflow/policy.ts";
import { short, synthesize } from "./synth.ts";

const { all } = synthesize();
const named = (type: string, name: string) =>
  short(all(type).find(([found]) => found === name)?.[1]) as Record<string, unknown>;

const [clock, ended] = ["RepairClock", "RepairEnded"].map((name) => named("AWS::Events::Rule", name));

test("reconcile is called for every execution that failed, timed out or was aborted", () => {
  expect(ended?.["EventPattern"]).toEqual({
    source: ["aws.states"],
    "detail-type": ["Step Functions Execution Status Change"],
    detail: { stateMachineArn: ["<WorkflowStateMachine>"], status: ["FAILED", "TIMED_OUT", "ABORTED"] },
  });
  expect(ended?.["Targets"]).toMatchObject([{ Arn: "<Reconcile.Arn>" }]);
});

test("the sweep is called on a schedule, and delayed calls expire", () => {
  expect(clock).toMatchObject({
    ScheduleExpression: `rate(${sweepMinutes} minutes)`,
    State: "ENABLED",
    Targets: [{ Arn: "<Sweep.Arn>" }],
  });
  const limited = all("AWS::Lambda::EventInvokeConfig").map(([, properties]) => short(properties));
  expect(limited).toEqual([
    { FunctionName: "<Sweep>", MaximumEventAgeInSeconds: 2 * sweepMinutes * 60, Qualifier: "$LATEST" },
  ]);
});

test("undeliverable and failed events go to a queue that EventBridge and both functions can write to", () => {
  for (const rule of [clock, ended])
    expect(rule?.["Targets"]).toMatchObject([{ DeadLetterConfig: { Arn: "<DeadLetters.Arn>" } }]);
  for (const name of ["Sweep", "Reconcile"])
    expect(named("AWS::Lambda::Function", name)["DeadLetterConfig"]).toEqual({ TargetArn: "<DeadLetters.Arn>" });
  const [[, policy] = ["", {}]] = all("AWS::SQS::QueuePolicy");
  const { Statement } = short(policy["PolicyDocument"]) as { Statement: Record<string, unknown>[] };
  const sources = Statement.filter(({ Effect }) => Effect === "Allow").map(({ Principal, Condition }) => [
    Principal,
    Condition,
  ]);
  expect(sources).toEqual(
    ["RepairEnded", "RepairClock"].map((rule) => [
      { Service: "events.amazonaws.com" },
      { ArnEquals: { "aws:SourceArn": `<${rule}.Arn>` } },
    ]),
  );
});

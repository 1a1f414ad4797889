import { expect, test } from "vitest";
import { sweepMinutes } from "../../src/workflow/policy.ts";
import { short, synthesise } from "./synth.ts";

const { all } = synthesise();
const named = (type: string, name: string) =>
  short(all(type).find(([found]) => found === name)?.[1]) as Record<string, unknown>;

const [clock, ended] = ["RepairClock", "RepairEnded"].map((name) => named("AWS::Events::Rule", name));

test("reconcile is called with every execution that ended otherwise than by its own end", () => {
  expect(ended?.["EventPattern"]).toEqual({
    source: ["aws.states"],
    "detail-type": ["Step Functions Execution Status Change"],
    detail: { stateMachineArn: ["<WorkflowStateMachine>"], status: ["FAILED", "TIMED_OUT", "ABORTED"] },
  });
  expect(ended?.["Targets"]).toMatchObject([{ Arn: "<Reconcile.Arn>" }]);
});

test("the sweep is called by the clock; of calls that waited, the old ones are dropped", () => {
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

test("what can't be delivered, and what a function failed for good, is in a queue that both may write to", () => {
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

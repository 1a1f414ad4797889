import aslValidator from "asl-validator";
import { Match } from "aws-cdk-lib/assertions";
import { describe, expect, test } from "vitest";
import { failPolicy, failSeconds, retryPolicy, turnSeconds } from "../../src/workflow/policy.ts";
import { short, synthesize } from "./synth.ts";

const { template, all } = synthesize();
const [, machine] = all("AWS::StepFunctions::StateMachine")[0] ?? ["", {}];
const definition = JSON.parse(String(short(machine["DefinitionString"]))) as {
  States: Record<string, Record<string, unknown>>;
};
const { Advance = {}, Fail = {}, "Done?": choice = {}, "Wait as asked": waiting, Ended = {} } = definition.States;

describe("state machine", () => {
  test("is valid Amazon States Language", () => {
    expect(aslValidator(definition).errors).toEqual([]);
  });

  test("has a timeout, and does not log its payload", () => {
    template.hasResourceProperties("AWS::StepFunctions::StateMachine", {
      StateMachineType: Match.absent(), // Standard
      TracingConfiguration: { Enabled: true },
      LoggingConfiguration: { Level: "ALL", IncludeExecutionData: false },
    });
    expect(definition).toMatchObject({ QueryLanguage: "JSONata", TimeoutSeconds: turnSeconds });
  });

  test("retries advance with the retry policy, then continues with fail", () => {
    expect((Advance["Retry"] as object[])[0]).toEqual({
      ErrorEquals: [retryPolicy.errorName],
      IntervalSeconds: retryPolicy.firstDelaySeconds,
      MaxAttempts: retryPolicy.maxRetries,
      BackoffRate: retryPolicy.backoffRate,
      MaxDelaySeconds: retryPolicy.maxDelaySeconds,
      JitterStrategy: "FULL",
    });
    expect(Advance["Catch"]).toMatchObject([{ ErrorEquals: ["States.ALL"], Next: "Fail" }]);
  });

  test("retries fail with its policy, then ends with the reason", () => {
    expect(Fail["Retry"]).toEqual([
      {
        ErrorEquals: ["States.ALL"],
        IntervalSeconds: failPolicy.firstDelaySeconds,
        MaxAttempts: failPolicy.maxRetries,
        BackoffRate: failPolicy.backoffRate,
        MaxDelaySeconds: failPolicy.maxDelaySeconds,
        JitterStrategy: "FULL",
      },
    ]);
    expect(Fail["TimeoutSeconds"]).toBe(failPolicy.taskSeconds);
    expect(all("AWS::Lambda::Function").find(([name]) => name === "Fail")?.[1]["Timeout"]).toBe(failSeconds);
    expect(Fail["Catch"]).toEqual([{ ErrorEquals: ["States.ALL"], Next: "Unrecorded", Output: "{% $states.input %}" }]);
    expect(definition.States["Unrecorded"]).toMatchObject({
      Type: "Fail",
      Error: "{% $states.input.error %}",
      Cause: expect.stringContaining(`$states.input.error = '${retryPolicy.errorName}' ? $states.input.cause : '`),
    });
  });

  test("waits for concurrency for most of its timeout, but not longer", () => {
    const retries = Advance["Retry"] as { ErrorEquals: string[]; MaxAttempts: number; MaxDelaySeconds: number }[];
    const [concurrencyRetry, ...others] = retries.filter(({ ErrorEquals }) =>
      ErrorEquals.some((name) => /TooMany/.test(name)),
    );
    expect([concurrencyRetry?.ErrorEquals, others]).toEqual([["Lambda.TooManyRequestsException"], []]);
    const most = (concurrencyRetry?.MaxAttempts ?? 0) * (concurrencyRetry?.MaxDelaySeconds ?? 0);
    expect(most).toBeGreaterThan(turnSeconds / 2);
    expect(most).toBeLessThan(turnSeconds);
  });

  test("enters three states for a turn that one invocation finishes", () => {
    expect([Advance["Next"], Ended["Type"]]).toEqual(["Done?", "Succeed"]);
    expect(choice["Default"]).toBe("Advance");
  });

  test("waits as long as the provider asked for, then continues with the same payload", () => {
    expect(choice["Choices"]).toEqual([
      { Condition: "{% $states.input.done %}", Next: "Ended" },
      { Condition: "{% $states.input.waitSeconds > 0 %}", Next: "Wait as asked" },
    ]);
    expect(waiting).toMatchObject({ Type: "Wait", Seconds: "{% $states.input.waitSeconds %}", Next: "Advance" });
    expect(Advance["Output"]).toBe("{% $merge([$states.input, $states.result.Payload]) %}");
    expect((Advance["Arguments"] as Record<string, unknown>)["Payload"]).toBe(
      "{% $merge([$states.input, {'stateMachineArn': $states.context.StateMachine.Id}]) %}",
    );
  });
});

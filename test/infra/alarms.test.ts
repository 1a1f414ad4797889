import { readFileSync } from "node:fs";
import { App, Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { Queue } from "aws-cdk-lib/aws-sqs";
import { describe, expect, test } from "vitest";
import { adminProgram } from "../../bin/admin/main.ts";
import { runProgram } from "../../bin/cli.ts";
import { metricUnits, namespace } from "../../src/observability/metrics.ts";
import { Alarms } from "../../lib/alarms.ts";
import { ServiceStack } from "../../lib/service-stack.ts";
import { readSettings } from "../../lib/settings.ts";
import { short, synthesize } from "./synth.ts";

const { all } = synthesize();
const alarms = all("AWS::CloudWatch::Alarm").map(([, properties]) => short(properties) as Record<string, unknown>);
const [[, dashboard] = ["", {}]] = all("AWS::CloudWatch::Dashboard");
const page = String(short(dashboard["DashboardBody"]));
const runbook = readFileSync(new URL("../../docs/operations.md", import.meta.url), "utf8");

/** Anchors as GitHub makes them of headings. */
const anchors = [...runbook.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, "")
    .replaceAll(" ", "-"),
);

test("every alarm's chapter of the runbook has a description, an investigation and a resolution", () => {
  const [, alarmChapters = ""] = /^# Alarms\n([^]*?)^# /m.exec(runbook) ?? [];
  const chapters = alarmChapters.split(/^## /m).slice(1);
  expect(chapters.length).toBeGreaterThan(5);
  for (const chapter of chapters) {
    const headings = [...chapter.matchAll(/^### (.+)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual(["Description", "Investigation", "Resolution"]);
  }
});

describe("alarms", () => {
  test("cover the symptoms that users notice", () => {
    const names = alarms.map(({ AlarmName }) => String(AlarmName).replace("AgentRunService-prod-", ""));
    expect(names.toSorted()).toEqual([
      "dead-letters",
      "errors",
      "errors-large",
      "failed-runs",
      "stuck-runs",
      "sweep-not-running",
      "throttles",
      "throttles-reads",
      "throttles-writes",
      "waiting-runs",
    ]);
  });

  test.each(alarms.map((alarm) => [String(alarm["AlarmName"]), alarm] as const))(
    "%s describes the symptom and links an existing chapter of the runbook",
    (name, { AlarmDescription }) => {
      const [, symptom, anchor = ""] =
        /^([A-Z].{20,})\. Runbook: docs\/operations\.md#(\S+)$/.exec(String(AlarmDescription)) ?? [];
      expect(symptom).toBeDefined();
      expect(name.startsWith(`AgentRunService-prod-${anchor}`)).toBe(true);
      expect(anchors).toContain(anchor);
    },
  );

  test("notify the topic when they start and end, and its policy allows it", () => {
    for (const { AlarmActions, OKActions } of alarms) {
      expect(AlarmActions).toEqual(["<OperationsAlarms>"]);
      expect(OKActions).toEqual(AlarmActions);
    }
    const [[, policy] = ["", {}]] = all("AWS::SNS::TopicPolicy");
    const { Statement } = short(policy["PolicyDocument"]) as { Statement: Record<string, unknown>[] };
    expect(Statement.find(({ Effect }) => Effect === "Allow")).toMatchObject({
      Action: "sns:Publish",
      Principal: { Service: "cloudwatch.amazonaws.com" },
      Condition: { StringEquals: { "aws:SourceAccount": "<AWS::AccountId>" } },
    });
  });
});

test("alarms and dashboard use only service metrics that the code writes", () => {
  const own = alarms.filter(({ Namespace }) => Namespace === namespace).map(({ MetricName }) => MetricName);
  const shown = [...page.matchAll(new RegExp(`"${namespace}","(\\w+)"`, "g"))].map(([, name = ""]) => name);
  expect(own.length).toBeGreaterThan(2);
  for (const name of [...own, ...shown]) expect(Object.keys(metricUnits)).toContain(name);
  expect(new Set(shown)).toEqual(new Set(Object.keys(metricUnits)));
});

test("alarmEmail subscribes an address, and a queue that is added gets an alarm", () => {
  expect(all("AWS::SNS::Subscription")).toEqual([]);
  const app = new App({ context: { "aws:cdk:bundling-stacks": [], stage: "test" } });
  const stack = new ServiceStack(app, readSettings(app.node));
  stack.node.tryRemoveChild("Operations");
  new Queue(stack, "Late");
  new Alarms(stack, "Operations", { alarmEmail: "on-call@example.com" });
  const template = Template.fromStack(stack);
  template.hasResourceProperties("AWS::SNS::Subscription", { Protocol: "email", Endpoint: "on-call@example.com" });
  template.hasResourceProperties("AWS::CloudWatch::Alarm", { AlarmName: "AgentRunService-test-dead-letters-2" });
});

test("a stack without a service is rejected with an error that says what is missing", () => {
  expect(() => new Alarms(new Stack(new App(), "Empty"), "Operations", {})).toThrow(
    "Empty has no table. Add it to the stack before Alarms.",
  );
});

test("every admin command of the runbook is valid", async () => {
  const lines = [...runbook.matchAll(/npm run -s admin -- ([^|;\n"]*\w)/g)].map(([, line = ""]) => line.trim());
  expect(lines.length).toBeGreaterThan(8);
  const errors: string[] = [];
  const io = { out: () => {}, err: (text: string) => void errors.push(text) };
  for (const line of lines) {
    const args = line.replaceAll("$STACK", "AgentRunService-prod").replaceAll(/\$\w+/g, "6affadb2").split(/\s+/);
    await runProgram(
      adminProgram(() => async () => {}, io),
      args,
      io,
      { name: line },
    );
  }
  expect(errors).toEqual([]);
});

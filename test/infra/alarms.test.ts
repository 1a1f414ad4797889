import { readFileSync } from "node:fs";
import { App, Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { Queue } from "aws-cdk-lib/aws-sqs";
import { describe, expect, test } from "vitest";
import { adminProgram } from "../../bin/admin/main.ts";
import { runProgram } from "../../bin/cli.ts";
import { metricUnits, namespace } from "../../src/observability/metrics.ts";
import { rejectedCall } from "../../src/platform/aws/functions/invoke-function.ts";
import { Alarms } from "../../lib/monitoring/alarms.ts";
import { uploadHostings } from "../../lib/front-door/hosting.ts";
import { ServiceStack } from "../../lib/service-stack.ts";
import { readSettings } from "../../lib/settings.ts";
import { synthesizeFrontDoor } from "./front-door.ts";
import { short, synthesize } from "./synth.ts";

const { all } = synthesize();
const frontDoors = Object.keys(uploadHostings).map((largeBodies) => synthesizeFrontDoor({ context: { largeBodies } }));
const frontDoorAlarms = frontDoors.map(({ properties }) =>
  properties("AWS::CloudWatch::Alarm").map((each) => short(each) as Record<string, unknown>),
);
const serviceAlarms = all("AWS::CloudWatch::Alarm").map(
  ([, properties]) => short(properties) as Record<string, unknown>,
);
const alarms = [...serviceAlarms, ...frontDoorAlarms.flat()];

function names(list: typeof alarms): string[] {
  return list.map(({ AlarmName }) => String(AlarmName).replace("AgentRunService-prod-", "")).toSorted();
}

interface MetricQuery {
  Expression?: string;
  Id: string;
  MetricStat?: { Metric: { MetricName: string; Namespace: string; Dimensions?: unknown }; Stat: string };
}

/** An alarm's formula, and its metrics by id: namespace, name and statistic. */
function formulaOf(name: string, among = serviceAlarms): { expression: string | undefined; metrics: object } {
  const alarm = among.find(({ AlarmName }) => AlarmName === `AgentRunService-prod-${name}`);
  const queries = (alarm?.["Metrics"] ?? []) as MetricQuery[];
  const metrics = queries.flatMap(({ Id, MetricStat: stat }) =>
    stat ? [[Id, `${stat.Metric.Namespace} ${stat.Metric.MetricName} ${stat.Stat}`]] : [],
  );
  return {
    expression: queries.find(({ Expression }) => Expression)?.Expression,
    metrics: Object.fromEntries(metrics) as object,
  };
}
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
    expect(names(serviceAlarms)).toEqual([
      "crashes",
      "dead-letters",
      "dead-letters-2",
      "deliveries-late",
      "errors",
      "executions",
      "failed-runs",
      "orphaned-runs",
      "sandbox",
      "sweep-not-running",
      "throttles",
      "throttles-soon",
      "throttles-table",
      "waiting-runs",
    ]);
    const [web = [], fargate = []] = frontDoorAlarms;
    expect(names(web)).toEqual(["errors-front-door", "errors-large", "errors-streams"]);
    expect(names(fargate)).toEqual(["errors-front-door", "errors-large"]);
  });

  test("errors: divides the failed requests by all requests, of which it assumes at least 20", () => {
    const { expression, metrics } = formulaOf("errors");
    expect(expression).toBe("FILL(failed, 0) / IF(requests > 20, requests, 20)");
    expect(metrics).toEqual({ failed: "AWS/ApiGateway 5xx Sum", requests: "AWS/ApiGateway Count Sum" });
  });

  test("executions: counts those that failed, timed out or were throttled, and none that were aborted", () => {
    const { expression, metrics } = formulaOf("executions");
    expect(expression).toBe("FILL(failed, 0) + FILL(late, 0) + FILL(throttled, 0)");
    expect(Object.values(metrics)).toEqual([
      "AWS/States ExecutionsFailed Sum",
      "AWS/States ExecutionsTimedOut Sum",
      "AWS/States ExecutionThrottled Sum",
    ]);
  });

  test("throttles: cover the table with its indexes, and 80 % of the account's concurrency", () => {
    expect(formulaOf("throttles-table").expression).toBe(
      `SELECT SUM(ThrottledRequests) FROM "AWS/DynamoDB" WHERE TableName = '<StorageTable>'`,
    );
    const { expression, metrics } = formulaOf("throttles-soon");
    expect(expression).toBe("100 * used / SERVICE_QUOTA(used)");
    expect(metrics).toEqual({ used: "AWS/Lambda ConcurrentExecutions Maximum" });
  });

  test("deliveries-late: the oldest delivery, in the stream or in the queue", () => {
    const { expression, metrics } = formulaOf("deliveries-late");
    expect(expression).toBe("MAX([FILL(milliseconds, 0) / 1000, FILL(seconds, 0)])");
    expect(metrics).toEqual({
      milliseconds: "AWS/Lambda IteratorAge Maximum",
      seconds: "AWS/SQS ApproximateAgeOfOldestMessage Maximum",
    });
  });

  test("errors-large: counts what the platform counts, also while the server cannot start", () => {
    const [web = [], fargate = []] = frontDoorAlarms;
    expect(formulaOf("errors-large", web).expression).toBe(
      `SELECT SUM(HTTPResponseStatusClass5XX) FROM "AWS/Lambda/Web" WHERE FunctionName = 'agent-runs-prod-<AWS::Region>'`,
    );
    expect(Object.values(formulaOf("errors-large", fargate).metrics)).toEqual([
      "AWS/ApplicationELB HTTPCode_Target_5XX_Count Sum",
      "AWS/ApplicationELB HTTPCode_ELB_5XX_Count Sum",
    ]);
  });

  test("errors-front-door: exists in us-east-1 only, where CloudFront's metrics are", () => {
    for (const { template } of frontDoors) {
      const resources = Object.values(template.findResources("AWS::CloudWatch::Alarm"));
      const edge = resources.find((each) => JSON.stringify(each).includes("5xxErrorRate"));
      const condition = template.toJSON()["Conditions"] as Record<string, unknown>;
      expect(condition[String(edge?.["Condition"])]).toEqual({ "Fn::Equals": [{ Ref: "AWS::Region" }, "us-east-1"] });
    }
  });

  test("crashes and sandbox: count lines in the log of advance", () => {
    const filters = all("AWS::Logs::MetricFilter").map(([, each]) => short(each) as Record<string, unknown>);
    expect(filters.map(({ FilterPattern, LogGroupName }) => [LogGroupName, FilterPattern])).toEqual([
      [
        "<AdvanceLog>",
        '{ ($.type = "platform.report") && (($.record.status = "timeout") || ($.record.errorType = "Runtime.*")) }',
      ],
      ["<AdvanceLog>", `{ $.message = "${rejectedCall}" }`],
    ]);
    const counted = filters.flatMap(({ MetricTransformations }) => MetricTransformations as Record<string, string>[]);
    for (const { MetricNamespace, MetricName } of counted) {
      expect(serviceAlarms.filter((alarm) => alarm["MetricName"] === MetricName)).toHaveLength(1);
      expect(MetricNamespace).toBe("AgentRunService/AgentRunService-prod");
    }
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
      expect(AlarmActions).toEqual([expect.stringMatching(/OperationsAlarms|AlarmTopicArn/)]);
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
  const { service } = new ServiceStack(app, readSettings(app.node));
  service.node.tryRemoveChild("Operations");
  new Queue(service, "Late");
  new Alarms(service, "Operations", { alarmEmail: "on-call@example.com" });
  const template = Template.fromStack(Stack.of(service));
  template.hasResourceProperties("AWS::SNS::Subscription", { Protocol: "email", Endpoint: "on-call@example.com" });
  template.hasResourceProperties("AWS::CloudWatch::Alarm", { AlarmName: "AgentRunService-test-dead-letters-3" });
});

test("a stack without a service is rejected with an error that says what is missing", () => {
  expect(() => new Alarms(new Stack(new App(), "Empty"), "Operations", {})).toThrow(
    "Empty has no table. Add it to the service before Alarms.",
  );
});

test("every admin command of the runbook is valid", async () => {
  const lines = [...runbook.matchAll(/npm run -s admin -- ([^|;\n"]*\w)/g)].map(([, line = ""]) => line.trim());
  expect(lines.length).toBeGreaterThan(8);
  const errors: string[] = [];
  const io = {
    out: () => {},
    err: (text: string) => void errors.push(text),
    write: async () => {},
    isTerminal: false,
    errIsTerminal: false,
  };
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

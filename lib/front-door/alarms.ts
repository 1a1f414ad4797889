import { Aws, CfnCondition, Fn } from "aws-cdk-lib";
import { type CfnAlarm, type IMetric, Metric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import type { Distribution } from "aws-cdk-lib/aws-cloudfront";
import { Topic } from "aws-cdk-lib/aws-sns";
import { Construct } from "constructs";
import { type AlarmOptions, alarmPeriod, createAlarm } from "../monitoring/alarm.ts";

interface FrontDoorAlarmsProps extends Omit<AlarmOptions, "topic"> {
  topicArn: string;
  failures: IMetric;
  /** Of streams of events, if another server sends them. */
  failedStreams?: IMetric;
  distribution: Distribution;
}

/** The front door's alarms. They notify the service stack's topic, whose policy accepts their names. */
export class FrontDoorAlarms extends Construct {
  constructor(scope: Construct, { topicArn, failures, failedStreams, distribution, ...options }: FrontDoorAlarmsProps) {
    super(scope, "Alarms");
    const all = { ...options, topic: Topic.fromTopicArn(this, "Topic", topicArn) };
    createAlarm(this, all, "errors-large", {
      symptom: "Large creates fail with a 5xx status, because the upload server fails or does not start",
      metric: failures,
      above: 1,
    });
    if (failedStreams) {
      createAlarm(this, all, "errors-streams", {
        symptom: "Streams of events fail with a 5xx status, because their server fails or does not start",
        metric: failedStreams,
        above: 1,
      });
    }
    const edge = createAlarm(this, all, "errors-front-door", {
      symptom: "CloudFront answers more than 5 % of all requests with a 5xx status",
      metric: new Metric({
        namespace: "AWS/CloudFront",
        metricName: "5xxErrorRate",
        dimensionsMap: { DistributionId: distribution.distributionId, Region: "Global" },
        statistic: Stats.AVERAGE,
        period: alarmPeriod,
      }),
      above: 5,
    });
    // CloudFront's metrics are in us-east-1 only, and an alarm can only use metrics of its region.
    const isThere = new CfnCondition(this, "HasCloudFrontMetrics", {
      expression: Fn.conditionEquals(Aws.REGION, "us-east-1"),
    });
    (edge.node.defaultChild as CfnAlarm).cfnOptions.condition = isThere;
  }
}

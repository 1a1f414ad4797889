import { DescribeStackEventsCommand } from "@aws-sdk/client-cloudformation";
import type { Aws } from "../aws.ts";
import type { SynthesizedStack } from "../../lib/service-app.ts";

/** What to do about reasons of CloudFormation that do not say it themselves. */
const remedies: [RegExp, string][] = [
  [
    /account must be verified before you can add new CloudFront resources/,
    "AWS accepts CloudFront distributions of this account only after AWS Support has verified it. Ask for it with the error " +
      "message above. Until then, deploy with --context largeBodies=off: the service works without the front door",
  ],
  [
    /[Tt]enancy ?[Cc]onfig(uration)? is not supported/,
    "Lambda rejects tenant isolation for these functions. Deploy with --context sandboxTenancy=off, and read SECURITY.md first",
  ],
  [
    /\bRateLimit\b/,
    "Lambda rejects the request rate of the web function in this region. Deploy with --context largeBodies=fargate",
  ],
  [
    /version for this Lambda function exists|[Vv]ersion already exists/,
    "The function is as it was when warm was set before, and Lambda makes no second version of that. Delete the versions as in " +
      "docs/operations.md#go-back-to-an-earlier-version, and deploy again",
  ],
];

/**
 * What to do about a failed deployment that began at `since`, by the newest 100 events of each stack. Resolves with an empty list
 * if nothing is known about the errors, or the events cannot be read: CDK has printed the errors already.
 */
export async function adviceAfterFailure(aws: Aws, stacks: SynthesizedStack[], since: Date): Promise<string[]> {
  const reasons = await Promise.all(stacks.map(({ name }) => failuresOf(aws, name, since)));
  return remedies.flatMap(([reason, remedy]) => (reasons.flat().some((text) => reason.test(text)) ? [remedy] : []));
}

async function failuresOf({ cloudFormation }: Aws, StackName: string, since: Date): Promise<string[]> {
  try {
    const { StackEvents = [] } = await cloudFormation.send(new DescribeStackEventsCommand({ StackName }));
    return StackEvents.flatMap(({ Timestamp, ResourceStatus = "", ResourceStatusReason = "" }) =>
      ResourceStatus.endsWith("_FAILED") && Timestamp && Timestamp >= since ? [ResourceStatusReason] : [],
    );
  } catch {
    return [];
  }
}

import middy from "@middy/core";
import { awsSettings } from "../src/env.ts";
import { fail } from "../src/workflow/fail.ts";
import { type FailPayload, reasonOf } from "../src/workflow/payload.ts";
import { statusOnlyRuns } from "../src/platform/aws/functions/lambda.ts";
import { noEarlyTimeout } from "../src/platform/aws/functions/middlewares.ts";

const deps = { runs: statusOnlyRuns(awsSettings()), now: Date.now };

export const handler = middy<FailPayload>(noEarlyTimeout).handler(async ({ runId, turn, error, cause }) => {
  await fail(deps, { runId, turn }, { error, cause: reasonOf(cause) });
});

import { awsSettings } from "../src/env.ts";
import { fail } from "../src/workflow/fail.ts";
import { type FailPayload, reasonOf } from "../src/workflow/payload.ts";
import { statusOnlyRuns } from "../src/platform/aws/functions/lambda.ts";

const deps = { runs: statusOnlyRuns(awsSettings()), now: Date.now };

export async function handler({ runId, turn, error, cause }: FailPayload): Promise<void> {
  await fail(deps, { runId, turn }, { error, cause: reasonOf(cause) });
}

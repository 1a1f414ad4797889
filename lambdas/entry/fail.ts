import { awsSettings } from "../env.ts";
import { fail } from "../workflow/fail.ts";
import { type FailPayload, reasonOf } from "../workflow/payload.ts";
import { statusOnlyRuns } from "./stores.ts";

const deps = { runs: statusOnlyRuns(awsSettings()), now: Date.now };

export async function handler({ runId, turn, error, cause }: FailPayload): Promise<void> {
  await fail(deps, { runId, turn }, { error, cause: reasonOf(cause) });
}

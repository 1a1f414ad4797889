import type { S3Client } from "@aws-sdk/client-s3";
import { env, envIfSet, numberIfSet } from "../../../env.ts";
import type { ProgramOwner, SandboxPerAgent } from "../../../sandbox/types.ts";
import { loadS3Client } from "../sdk/clients.ts";
import { lambdaEnvironments, type LambdaLinux } from "../linux.ts";
import { lambdaSandbox, type MessageStore } from "../sandbox.ts";
import type { AwsCredentials } from "../sdk/sign-request.ts";
import { stagedObjects } from "../s3/staged-objects.ts";

/** The functions of the sandbox, by the environment variables that `lib/sandbox.ts` sets. Empty with `sandbox` `off`. */
export function sandboxFunctions(settings: AwsCredentials & { endpoint?: string }): {
  sandboxOf?: NonNullable<SandboxPerAgent["sandboxOf"]>;
  linuxOf?: ReturnType<typeof lambdaEnvironments>;
} {
  const functionName = envIfSet("SANDBOX_FUNCTION");
  if (functionName === undefined) return {};
  const aws = { endpoint: env("SANDBOX_ENDPOINT"), ...settings }; // an emulator has one address
  const isTenantIsolated = envIfSet("SANDBOX_TENANCY") !== "off";
  const sandboxWith =
    (store?: MessageStore) =>
    ({ agentId }: ProgramOwner) =>
      lambdaSandbox({ aws, functionName, tenant: isTenantIsolated ? agentId : undefined }, store);
  const environments = envIfSet("SANDBOX_ENVIRONMENTS");
  if (environments === undefined) return { sandboxOf: sandboxWith() };

  const name = env("BUCKET_NAME");
  const { endpoint } = settings;
  const url = endpoint === undefined ? env("SANDBOX_BUCKET_URL") : `${endpoint}/${name}`;
  let s3: Promise<S3Client> | undefined;
  const store = {
    bucket: { name, url },
    objects: stagedObjects(() => (s3 ??= loadS3Client(settings)), name),
  };
  const linuxOf = lambdaEnvironments({
    aws,
    environments: JSON.parse(environments) as LambdaLinux["environments"],
    isTenantIsolated,
    ...store,
    maxFiles: numberIfSet("WORKSPACE_FILES"),
  });
  return { sandboxOf: sandboxWith(store), linuxOf };
}

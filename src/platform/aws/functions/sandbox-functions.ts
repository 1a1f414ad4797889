import type { S3Client } from "@aws-sdk/client-s3";
import { NoPlace, scheduler } from "../../../async/scheduler.ts";
import { env, envIfSet } from "../../../env.ts";
import { StoreUnavailable } from "../../../errors.ts";
import { retryWhileUnavailable } from "../../../runs/control/retry-unavailable.ts";
import { sandboxDocumentReader, sandboxPageTaker } from "../../../sandbox/document-reader.ts";
import { placesFor } from "../../../sandbox/places.ts";
import { sandboxResultChecker } from "../../../sandbox/result-checker.ts";
import type { ProgramOwner, Sandbox, SandboxPerAgent } from "../../../sandbox/sandbox-types.ts";
import { loadS3Client } from "../sdk/clients.ts";
import { lambdaEnvironments, type LambdaLinux } from "../linux.ts";
import { lambdaSandbox, type MessageStore } from "../sandbox.ts";
import { unavailable } from "./invoke-function.ts";
import type { AwsCredentials } from "../sdk/sign-request.ts";
import { stagedObjects } from "../s3/staged-objects.ts";

type Settings = AwsCredentials & { endpoint?: string };

/** Documents that one turn has read at a time: each is in this process's memory, too. */
const documentPlaces = 2;

/** The functions that read documents and run programs, by the environment variables that `lib/` sets. */
export function sandboxFunctions(
  settings: Settings,
): Omit<SandboxPerAgent, "linuxOf"> & { linuxOf?: ReturnType<typeof lambdaEnvironments> } {
  const aws = { endpoint: envIfSet("SANDBOX_ENDPOINT") ?? "", ...settings }; // an emulator has one address
  const store = messageStore(settings);
  return { ...documentFunction(aws, store), ...programFunctions(aws, store) };
}

/** Reads documents, takes pages and checks results. */
function documentFunction(aws: Required<Settings>, store: MessageStore) {
  const places = scheduler(placesFor("documents", documentPlaces));
  const functionName = envIfSet("DOCUMENTS_FUNCTION");
  const fn = lambdaSandbox({ aws, functionName: functionName ?? "", name: "documents" }, store);
  const sandbox: Sandbox = {
    maxBytes: fn.maxBytes,
    async run(request, signal) {
      if (functionName === undefined) throw unavailable("the stack is being updated", { name: "documents" });
      try {
        return await places.run([], () => retryWhileUnavailable(() => fn.run(request, signal)), signal);
      } catch (error) {
        if (error instanceof NoPlace) return { output: "", problem: error.message, written: [], notes: [] };
        throw error;
      }
    },
  };
  const [readDocument, takePages] = [sandboxDocumentReader(sandbox), sandboxPageTaker(sandbox)];
  const check = sandboxResultChecker(sandbox);
  // The answer is paid and not recorded yet: without its check it is kept, and says so.
  const checkResult: ReturnType<typeof sandboxResultChecker> = (...result) =>
    check(...result).catch((error: unknown) => {
      if (error instanceof StoreUnavailable) return { unchecked: error.message };
      throw error;
    });
  return { readDocumentOf: () => readDocument, takePagesOf: () => takePages, checkResultOf: () => checkResult };
}

/** Runs programs. Empty with the setting `sandbox` `off`. */
function programFunctions(aws: Required<Settings>, store: MessageStore) {
  const functionName = envIfSet("SANDBOX_FUNCTION");
  if (functionName === undefined) return {};
  const isTenantIsolated = envIfSet("SANDBOX_TENANCY") !== "off";
  const environments = envIfSet("SANDBOX_ENVIRONMENTS");
  // With the other engine, the function has no route to the bucket.
  const staged = environments === undefined ? undefined : store;
  const sandboxOf = ({ agentId }: ProgramOwner) =>
    lambdaSandbox({ aws, functionName, tenant: isTenantIsolated ? agentId : undefined }, staged);
  if (environments === undefined) return { sandboxOf };
  const linuxOf = lambdaEnvironments({
    aws,
    environments: JSON.parse(environments) as LambdaLinux["environments"],
    isTenantIsolated,
    ...store,
  });
  return { sandboxOf, linuxOf };
}

function messageStore(settings: Settings): MessageStore {
  const name = env("BUCKET_NAME");
  const { endpoint } = settings;
  const url = endpoint === undefined ? (envIfSet("SANDBOX_BUCKET_URL") ?? "") : `${endpoint}/${name}`;
  let s3: Promise<S3Client> | undefined;
  return { bucket: { name, url }, objects: stagedObjects(() => (s3 ??= loadS3Client(settings)), name) };
}

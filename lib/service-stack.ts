import { Aws, CfnOutput, Stack } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { sendDeliverySeconds } from "../src/platform/aws/delivery/delivery-limits.ts";
import { runningIndex, secretPrefixOf } from "../src/platform/aws/dynamodb/table.ts";
import { advanceSeconds, failSeconds, reconcileSeconds, sweepMinutes, sweepSeconds } from "../src/workflow/policy.ts";
import { grant, type ServiceFunctionProps, serviceFunction } from "./service-function.ts";
import { bundleDocuments } from "./bundling.ts";
import { defaultThrottle } from "./concurrency.ts";
import { HttpApi } from "./http-api.ts";
import { Alarms } from "./alarms.ts";
import { newBudget } from "./budget.ts";
import { Deliveries } from "./deliveries.ts";
import { operatorPolicy, viewerPolicy } from "./operator-policy.ts";
import { type OutputName, outputs, serviceStackName } from "./outputs.ts";
import { grantModels } from "./model-permissions.ts";
import { grantExtRead, grantExtWrite, grantMcp } from "./program-permissions.ts";
import { deadLetterQueue, Recovery } from "./recovery.ts";
import { Sandbox } from "./sandbox.ts";
import type { Settings } from "./settings.ts";
import {
  createsRuns,
  drivesTrials,
  endsTurns,
  type ItemPermission,
  keyUse,
  enqueuesDeliveries,
  sendsDeliveries,
  Storage,
  webhookState,
} from "./storage.ts";
import { terminationProtection } from "./termination-protection.ts";
import { Workflow } from "./workflow.ts";

/** API Gateway ends a request after 30 seconds. */
const requestSeconds = 29;

/** A read of the table and a call of SQS, which may take three attempts of 3 s each. */
const enqueueDeliverySeconds = 25;

/**
 * The stack's functions by construct id; the sandbox adds its own. `memory` in MB.
 *
 * Memory follows from the peak memory, and the time for start and first response on a full vCPU, of a benchmark against
 * a local AWS endpoint (November 2026). 1,769 MB have one full vCPU; less memory means a proportional share.
 */
const functions = {
  Advance: {
    entry: "advance",
    description: "Advances a run's turn, step by step",
    // 140 MB; 362 MB while a document of 32 MB is read, 650 MB with a text file of 200 MiB. Most of the time that is billed, it
    // waits for a model. With this share of a vCPU, start and first turn take 560 ms instead of 340, and a step 12 ms instead of 9.
    memory: 1024,
    seconds: advanceSeconds,
  },
  Documents: {
    entry: "read-document",
    description: "Reads the document in the request, or checks a result",
    memory: 1769, // one full vCPU; 280 MB with a document of 32 MB, beside the process that reads it with up to 512 MB
    write: bundleDocuments,
    seconds: 60, // 30 for the document; the start of its process, and the transfer of both messages
  },
  Fail: {
    entry: "fail",
    description: "Records why a turn failed",
    memory: 512, // 72 MB, 90 ms; no client waits for it
    seconds: failSeconds,
  },
  Reconcile: {
    entry: "reconcile",
    description: "Ends the run of an execution that failed, timed out or was aborted",
    memory: 512, // as Fail
    seconds: reconcileSeconds,
  },
  Sweep: {
    entry: "sweep",
    description: "Finds orphaned runs and ends them, and moves trials on",
    memory: 512, // 77 MB, and about 50 MB for the ids of 100,000 running runs; also holds the records of a few cases
    seconds: sweepSeconds,
  },
  EnqueueDelivery: {
    entry: "enqueue-delivery",
    description: "Enqueues new webhook deliveries",
    memory: 512, // as Fail
    seconds: enqueueDeliverySeconds,
  },
  SendDelivery: {
    entry: "send-delivery",
    description: "Sends webhook deliveries that are due",
    memory: 512, // as Fail
    seconds: sendDeliverySeconds,
  },
  Create: {
    entry: "create",
    description: "POST /v1/agents",
    memory: 1769, // 103 MB with an event of 6 MB, 120 ms: parsing and hashing are CPU-bound
    seconds: requestSeconds,
  },
  Get: {
    entry: "get",
    description: "GET /v1/agents/{agent_id}",
    memory: 1024, // 76 MB, 103 ms; 180 ms with this share of a vCPU
    seconds: requestSeconds,
  },
  ExtRead: {
    entry: "ext",
    description: "GET and HEAD /ext/v1",
    memory: 1024, // as Get
    seconds: requestSeconds,
  },
  ExtWrite: {
    entry: "ext",
    description: "Every other method of /ext/v1",
    memory: 1769, // as Create
    seconds: requestSeconds,
  },
  Mcp: {
    entry: "mcp",
    description: "/mcp: agents for MCP clients",
    memory: 512, // 93 MB, 180 ms; most of the time that is billed, it waits for runs
    seconds: requestSeconds,
  },
  Openapi: {
    entry: "openapi",
    description: "GET /v1/openapi.json",
    memory: 256, // 46 MB, 2 ms
    seconds: requestSeconds,
  },
  NotFound: {
    entry: "not-found",
    description: "Every other path and method: 404 and 405",
    memory: 256, // as Openapi
    seconds: requestSeconds,
  },
} as const;

/** The service without the front door. Deployed resources are named after construct ids, so these do not change. */
export class ServiceStack extends Stack {
  constructor(scope: Construct, settings: Settings) {
    const stackName = serviceStackName(settings.stage);
    super(scope, stackName, {
      stackName, // within a CDK Stage, too
      description: "Agent Run Service: agent runs over HTTP",
      terminationProtection: terminationProtection(scope, stackName, settings),
    });
    const { logRetentionDays: logRetention, concurrentRuns } = settings;
    const newFunction = (id: keyof typeof functions, props: Partial<ServiceFunctionProps> = {}) =>
      serviceFunction(this, id, { ...functions[id], logRetention, ...props });

    const storage = new Storage(this, "Storage", settings);

    const concurrency = concurrentRuns === "auto" ? 0 : concurrentRuns;
    const advance = newFunction("Advance", { concurrency });
    storage.grantItems(advance, [
      { kinds: ["AGENT", "ORG"], actions: ["GetItem"] },
      { kinds: ["CONFIG"], actions: ["GetItem", "PutItem"] },
      { kinds: ["RUN"], actions: ["Query"] },
      ...createsRuns,
      ...drivesTrials,
    ]);
    storage.grantObjects(advance, {
      read: ["workspaces", "texts", "kept", "staging"], // kept: the cases of suites; staging: of other functions
      write: ["workspaces", "texts", "staging"],
      remove: ["workspaces", "staging"],
    });
    storage.grantList(advance);
    grant(advance, {
      FILE_VERSIONS: String(settings.fileVersions),
      WORKSPACE_FILES: String(settings.workspaceFiles),
      WORKSPACE_BYTES: String(settings.workspaceMegabytes * 2 ** 20),
    });
    grantModels(advance, settings);
    // As the sandbox, it has no reserved concurrency: only `advance` calls it, with at most two documents of a turn at a time.
    const documents = newFunction("Documents");
    grant(
      advance,
      {
        DOCUMENTS_FUNCTION: documents.functionName,
        LAMBDA_ENDPOINT: `https://lambda.${Aws.REGION}.${Aws.URL_SUFFIX}`,
        BUCKET_URL: `https://${storage.bucket.bucketRegionalDomainName}`,
      },
      { actions: ["lambda:InvokeFunction"], resources: [documents.functionArn] },
    );
    const sandbox =
      settings.sandbox === "off" ? undefined : new Sandbox(this, "Sandbox", { settings, storage, signer: advance });
    sandbox?.grantRun(advance);
    if (settings.privateAddresses === "allowed") grant(advance, { PRIVATE_ADDRESSES: settings.privateAddresses });
    if (settings.otlpEndpoint !== "") grant(advance, { OTEL_EXPORTER_OTLP_ENDPOINT: settings.otlpEndpoint });

    const fail = newFunction("Fail");
    storage.grantItems(fail, [endsTurns]);

    const workflow = new Workflow(this, "Workflow", { advance, fail, logRetention });
    workflow.grantStartNext(advance);

    const deadLetters = deadLetterQueue(this);
    const reconcile = newFunction("Reconcile", { deadLetters });
    storage.grantItems(reconcile, [{ kinds: ["RUN"], actions: ["Query"] }, endsTurns]);
    // If several scheduled sweeps were delayed, one is enough: older events expire.
    const sweep = newFunction("Sweep", { deadLetters, eventSeconds: 2 * sweepMinutes * 60 });
    storage.grantItems(sweep, [
      { kinds: ["RUNNING", "WAITING", "ASKING", "COUNT", "TRIALS"], actions: ["Query"], index: runningIndex.name },
      endsTurns,
      { kinds: ["COUNT", "RUN"], actions: ["Query"] },
      { kinds: ["AGENT", "ORG"], actions: ["GetItem"] },
      { kinds: ["CONFIG"], actions: ["GetItem", "PutItem"] },
      ...drivesTrials,
    ]);
    // A case of a trial begins with copies of files and texts of the recorded run, or of a case of a suite.
    storage.grantObjects(sweep, { read: ["workspaces", "texts", "kept"], write: ["workspaces", "texts"] });
    storage.grantList(sweep);
    workflow.grantManageExecutions(sweep);
    workflow.grantStartExecution(sweep);
    new Recovery(this, "Repair", { stateMachine: workflow.stateMachine, reconcile, sweep, deadLetters });

    const enqueue = newFunction("EnqueueDelivery");
    storage.grantItems(enqueue, enqueuesDeliveries);
    const send = newFunction("SendDelivery", { sendsToItself: true }); // a delivery has at most 9 attempts
    storage.grantItems(send, sendsDeliveries);
    if (settings.privateAddresses === "allowed") grant(send, { PRIVATE_ADDRESSES: settings.privateAddresses });
    new Deliveries(this, "Deliveries", { table: storage.table, enqueue, send, deadLetters });

    const create = newFunction("Create");
    grant(create, { SECRET_PREFIX: secretPrefixOf(settings.stage) }); // checks names only
    const createReads: ItemPermission = { kinds: ["KEY", "AGENT", "ORG"], actions: ["GetItem"] };
    storage.grantItems(create, [createReads, webhookState, keyUse, ...createsRuns]);
    storage.grantObjects(create, { write: ["workspaces", "texts"], remove: ["workspaces"] });
    workflow.grantStartExecution(create);

    const get = newFunction("Get");
    storage.grantItems(get, [{ kinds: ["KEY"], actions: ["GetItem"] }, keyUse, { kinds: ["RUN"], actions: ["Query"] }]);
    storage.grantObjects(get, { read: ["texts"] });

    const service = { storage, workflow, settings };
    const extRead = newFunction("ExtRead");
    grantExtRead(extRead, service);
    const extWrite = newFunction("ExtWrite");
    grantExtWrite(extWrite, service);
    const mcp = newFunction("Mcp");
    grantMcp(mcp, service);

    const openapi = newFunction("Openapi");
    const notFound = newFunction("NotFound");

    const { requestsPerSecond, requestBurst } = settings;
    const unknown = defaultThrottle();
    const throttle = {
      rateLimit: requestsPerSecond === "auto" ? unknown.rate : requestsPerSecond,
      burstLimit: requestBurst === "auto" ? unknown.burst : requestBurst,
    };
    const handlers = { create, get, openapi, extRead, extWrite, mcp, notFound };
    const { url } = new HttpApi(this, "HttpApi", { handlers, logRetention, throttle });
    const { alarmEmail, runbookUrl } = settings;
    const { topic } = new Alarms(this, "Operations", {
      alarmEmail: alarmEmail || undefined,
      runbook: runbookUrl || undefined,
    });
    if (settings.monthlyBudget > 0) newBudget(this, settings.monthlyBudget, alarmEmail);

    const values: Record<OutputName, string> = {
      ApiUrl: url,
      TableName: storage.table.tableName,
      BucketName: storage.bucket.bucketName,
      StateMachineArn: workflow.stateMachine.stateMachineArn,
      RetentionDays: String(settings.retentionDays),
      RequestsPerSecond: String(throttle.rateLimit),
      ConcurrentRuns: String(concurrency),
      SandboxMode: settings.sandbox,
      EnvironmentImages: JSON.stringify(sandbox?.images ?? {}),
      SecretPrefix: secretPrefixOf(settings.stage),
      AlarmTopicArn: topic.topicArn,
      OperatorPolicyArn: operatorPolicy(this, settings.stage, { storage, workflow }).managedPolicyArn,
      ViewerPolicyArn: viewerPolicy(this, settings.stage, storage).managedPolicyArn,
    };
    for (const [name, value] of Object.entries(values)) {
      new CfnOutput(this, name, { value, description: outputs[name as OutputName] });
    }
  }
}

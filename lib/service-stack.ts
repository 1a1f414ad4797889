import { CfnOutput, Stack } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { runningIndex } from "../src/platform/aws/table.ts";
import { advanceSeconds, failSeconds, reconcileSeconds, sweepMinutes, sweepSeconds } from "../src/workflow/policy.ts";
import { grant, serviceFunction } from "./service-function.ts";
import { HttpApi } from "./http-api.ts";
import { Operations } from "./alarms.ts";
import { operatorPolicy } from "./operator-policy.ts";
import { type OutputName, outputs } from "./outputs.ts";
import { grantModels } from "./model-permissions.ts";
import { deadLetterQueue, Repair } from "./recovery.ts";
import { Sandbox } from "./sandbox.ts";
import { type Settings, zonesOf } from "./settings.ts";
import { Storage } from "./storage.ts";
import { Workflow } from "./workflow.ts";

/** Seconds a request may take: API Gateway ends it after 30. */
const requestSeconds = 29;

/**
 * MB of each function, from `npm run bench -- first-request` (November 2026): what was resident at most, and how long start
 * and first answer took, on a whole processor. 1,769 MB have a whole one, and less a share of it, which makes that time
 * longer by as much.
 */
const memory = {
  create: 1769, // 103 MB with an event of 6 MB, 120 ms: parsing and hashing megabytes is all processor
  get: 1024, // 76 MB, 103 ms: 180 ms with this share
  advance: 1024, // 104 MB, 250 ms, and files, documents and tool results that are held whole
  fail: 512, // 72 MB, 90 ms; nobody waits for it
  reconcile: 512, // as fail
  sweep: 512, // 77 MB, and some 50 MB for the ids of 100,000 running runs
  openapi: 256, // 46 MB, 2 ms
  notFound: 256, // as openapi
} as const;

/** The whole service but for large request bodies. Reads from what is kept to what is called. */
export class ServiceStack extends Stack {
  constructor(scope: Construct, settings: Settings) {
    super(scope, `AgentRunService-${settings.stage}`, {
      description: "Agent Run Service: agent runs over HTTP",
      terminationProtection: settings.removal === "retain",
    });
    const { logRetentionDays: logRetention } = settings;

    const storage = new Storage(this, "Storage", settings);

    const advance = serviceFunction(this, "Advance", {
      entry: "advance",
      description: "Works on a run's turn, step after step",
      memory: memory.advance,
      seconds: advanceSeconds,
      concurrency: settings.concurrentRuns,
      logRetention,
    });
    storage.grantItems(advance, [
      { kinds: ["AGENT", "ORG"], actions: ["GetItem"] },
      { kinds: ["RUN"], actions: ["Query", "PutItem", "UpdateItem", "ConditionCheckItem"] },
    ]);
    storage.grantObjects(advance, { read: ["workspaces", "texts"], write: ["workspaces", "texts"] });
    storage.grantList(advance);
    grantModels(advance, settings.bedrockModels);
    if (settings.sandbox === "on") {
      new Sandbox(this, "Sandbox", { logRetention, zones: zonesOf(settings) }).grantRun(advance);
    }
    if (settings.privateAddresses === "allowed") grant(advance, { PRIVATE_ADDRESSES: settings.privateAddresses });
    if (settings.otlpEndpoint !== "") grant(advance, { OTEL_EXPORTER_OTLP_ENDPOINT: settings.otlpEndpoint });

    const fail = serviceFunction(this, "Fail", {
      entry: "fail",
      description: "Records why a turn could not be brought to its end",
      memory: memory.fail,
      seconds: failSeconds,
      logRetention,
    });
    storage.grantItems(fail, [{ kinds: ["RUN"], actions: ["UpdateItem"] }]);

    const workflow = new Workflow(this, "Workflow", { advance, fail, logRetention });

    const deadLetters = deadLetterQueue(this);
    const reconcile = serviceFunction(this, "Reconcile", {
      entry: "reconcile",
      description: "Ends the run of an execution that failed, timed out or was aborted",
      memory: memory.reconcile,
      seconds: reconcileSeconds,
      logRetention,
      deadLetters,
    });
    storage.grantItems(reconcile, [{ kinds: ["RUN"], actions: ["Query", "UpdateItem"] }]);
    const sweep = serviceFunction(this, "Sweep", {
      entry: "sweep",
      description: "Ends runs that nobody works on",
      memory: memory.sweep,
      seconds: sweepSeconds,
      logRetention,
      deadLetters,
      // Of those that waited while nothing could be called, one is enough.
      eventSeconds: 2 * sweepMinutes * 60,
    });
    storage.grantItems(sweep, [
      { kinds: ["RUNNING"], actions: ["Query"], index: runningIndex.name },
      { kinds: ["RUN"], actions: ["UpdateItem"] },
    ]);
    workflow.grantLook(sweep);
    new Repair(this, "Repair", { stateMachine: workflow.stateMachine, reconcile, sweep, deadLetters });

    const create = serviceFunction(this, "Create", {
      entry: "create",
      description: "POST /v1/agents",
      memory: memory.create,
      seconds: requestSeconds,
      logRetention,
    });
    storage.grantItems(create, [
      { kinds: ["KEY", "AGENT", "ORG"], actions: ["GetItem"] },
      { kinds: ["RUN"], actions: ["PutItem", "UpdateItem"] },
    ]);
    storage.grantObjects(create, { write: ["workspaces", "texts"], remove: ["workspaces", "texts"] });
    workflow.grantStart(create);

    const get = serviceFunction(this, "Get", {
      entry: "get",
      description: "GET /v1/agents/{agent_id}",
      memory: memory.get,
      seconds: requestSeconds,
      logRetention,
    });
    storage.grantItems(get, [
      { kinds: ["KEY"], actions: ["GetItem"] },
      { kinds: ["RUN"], actions: ["Query"] },
    ]);
    storage.grantObjects(get, { read: ["texts"] });

    const openapi = serviceFunction(this, "Openapi", {
      entry: "openapi",
      description: "GET /v1/openapi.json",
      memory: memory.openapi,
      seconds: requestSeconds,
      logRetention,
    });
    const notFound = serviceFunction(this, "NotFound", {
      entry: "not-found",
      description: "Every other path and method: 404 and 405",
      memory: memory.notFound,
      seconds: requestSeconds,
      logRetention,
    });

    const throttle = { rateLimit: settings.requestsPerSecond, burstLimit: settings.requestBurst };
    const { url } = new HttpApi(this, "HttpApi", { create, get, openapi, notFound, logRetention, throttle });
    new Operations(this, "Operations", { alarmEmail: settings.alarmEmail || undefined });

    const values: Record<OutputName, string> = {
      ApiUrl: url,
      TableName: storage.table.tableName,
      BucketName: storage.bucket.bucketName,
      StateMachineArn: workflow.stateMachine.stateMachineArn,
      RetentionDays: String(settings.retentionDays),
      OperatorPolicyArn: operatorPolicy(this, { storage, workflow }).managedPolicyArn,
    };
    for (const [name, value] of Object.entries(values)) {
      new CfnOutput(this, name, { value, description: outputs[name as OutputName] });
    }
  }
}

import { Aws, CfnOutput, Stack } from "aws-cdk-lib";
import type { ITableV2 } from "aws-cdk-lib/aws-dynamodb";
import type { IManagedPolicy } from "aws-cdk-lib/aws-iam";
import type { Function } from "aws-cdk-lib/aws-lambda";
import type { IBucket } from "aws-cdk-lib/aws-s3";
import type { ITopic } from "aws-cdk-lib/aws-sns";
import { Construct } from "constructs";
import { runningIndex, secretPrefixOf } from "../src/platform/aws/dynamodb/table.ts";
import { sweepMinutes } from "../src/workflow/policy.ts";
import { grant, type ServiceFunctionProps, serviceFunction } from "./service-function.ts";
import { defaultThrottle, reservationsOf, throttleOf } from "./concurrency.ts";
import { HttpApi } from "./http-api.ts";
import { Alarms } from "./monitoring/alarms.ts";
import { Deliveries } from "./deliveries.ts";
import { operatorPolicy, viewerPolicy } from "./permissions/operator-policy.ts";
import { functions } from "./functions.ts";
import { type OutputName, outputs } from "./outputs.ts";
import { liveAlias } from "./live-alias.ts";
import { grantModels } from "./permissions/model-permissions.ts";
import { grantDefinitions, grantExtRead, grantExtWrite, grantMcp } from "./permissions/program-permissions.ts";
import { deadLetterQueue, Recovery } from "./recovery.ts";
import { Sandbox } from "./sandbox/sandbox.ts";
import type { AgentRunServiceProps } from "./service-props.ts";
import { settingsOf } from "./settings.ts";
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
import { Workflow } from "./workflow.ts";

/**
 * The service without the front door and the web application: API, functions, state machine, table, bucket, sandbox, alarms and
 * dashboard. A stack holds one: alarms and outputs have the names of the stack. Deployed resources are named after construct ids,
 * so these do not change. Throws one error that lists every property that is not accepted.
 */
export class AgentRunService extends Construct {
  /** Base URL of the API. */
  readonly apiUrl: string;
  /** Organizations, agents, API keys and runs. */
  readonly table: ITableV2;
  /** Files and long texts of runs. */
  readonly bucket: IBucket;
  /** Receives the notifications of alarms. */
  readonly alarmTopic: ITopic;
  /** Permissions of `agent-run-service admin --stack`. It is attached to nobody. */
  readonly operatorPolicy: IManagedPolicy;
  /** The part of `operatorPolicy` that only reads. */
  readonly viewerPolicy: IManagedPolicy;

  readonly #newDefinitions: () => Function;
  #definitions: Function | undefined;

  constructor(scope: Construct, id: string, props: AgentRunServiceProps = {}) {
    super(scope, id);
    const { alarmTopic, ...given } = props;
    const stack = Stack.of(this);
    requireOnly(this, stack);
    const settings = settingsOf(given);
    const { concurrentRuns } = settings;
    const newFunction = (name: keyof typeof functions, more: Partial<ServiceFunctionProps> = {}) =>
      serviceFunction(this, name, { ...functions[name], ...more });

    const storage = new Storage(this, "Storage", settings);

    const concurrency = concurrentRuns === "auto" ? 0 : concurrentRuns;
    const reserved = reservationsOf(concurrency);
    const advance = newFunction("Advance", { concurrency: reserved.runs });
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
    grantModels(advance, settings);
    const documents = newFunction("Documents", { concurrency: reserved.documents });
    grant(
      advance,
      {
        DOCUMENTS_FUNCTION: documents.functionName,
        SANDBOX_ENDPOINT: `https://lambda.${Aws.REGION}.${Aws.URL_SUFFIX}`,
        SANDBOX_BUCKET_URL: `https://${storage.bucket.bucketRegionalDomainName}`,
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

    const { warm } = settings;
    const liveAdvance = liveAlias(advance, warm);
    const workflow = new Workflow(this, "Workflow", { advance, liveAdvance, fail });
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

    const { requestsPerSecond } = settings;
    const { rate, burst } = requestsPerSecond === "auto" ? defaultThrottle() : throttleOf(requestsPerSecond);
    const throttle = { rateLimit: rate, burstLimit: burst };
    const live = { create: liveAlias(create, warm), get: liveAlias(get, warm) };
    const handlers = { ...live, openapi, extRead, extWrite, mcp, notFound };
    const { url } = new HttpApi(this, "HttpApi", { handlers, throttle });
    const { alarmEmail } = settings;
    const { topic } = new Alarms(this, "Operations", {
      alarmEmail: alarmEmail || undefined,
      topic: alarmTopic,
    });

    this.#newDefinitions = () => {
      const fn = newFunction("Definitions", { attempts: 1 });
      grantDefinitions(fn, service);
      return fn;
    };
    this.apiUrl = url;
    this.table = storage.table as ITableV2; // as Vpc in sandbox.ts
    this.bucket = storage.bucket as IBucket;
    this.alarmTopic = topic;
    this.operatorPolicy = operatorPolicy(this, settings.stage, { storage, workflow });
    this.viewerPolicy = viewerPolicy(this, settings.stage, storage);
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
      OperatorPolicyArn: this.operatorPolicy.managedPolicyArn,
      ViewerPolicyArn: this.viewerPolicy.managedPolicyArn,
    };
    // In the stack itself: the programs for operators and the other stacks find outputs by these names.
    for (const [name, value] of Object.entries(values)) {
      new CfnOutput(stack, name, { value, description: outputs[name as OutputName] });
    }
  }

  /**
   * The function of the custom resources for organizations, agents and keys, which is only deployed with one of them.
   * @internal
   */
  definitionsFunction(): Function {
    return (this.#definitions ??= this.#newDefinitions());
  }
}

/** Throws if the stack has another service. */
function requireOnly(service: AgentRunService, stack: Stack): void {
  const other = stack.node.findAll().find((each) => each instanceof AgentRunService && each !== service);
  if (!other) return;
  const rule = "A stack holds one AgentRunService, because its outputs and alarms have the names of the stack";
  throw new Error(`${rule}. ${stack.stackName} has ${other.node.path} and ${service.node.path}: use a stack for each.`);
}

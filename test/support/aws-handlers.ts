import { vi } from "vitest";
import { awsPlatform } from "../../src/platform/aws/open-platform.ts";
import { type FakeAwsEndpoint, fakeAwsEndpoint } from "./fake-aws/endpoint.ts";
import { asApiFunction, asLambda } from "./lambda-function.ts";
import type { AdvancePayload, AdvanceResponse } from "../../src/workflow/payload.ts";

const credentials = { accessKeyId: "AKIAEXAMPLE", secretAccessKey: "secret" };
const stateMachineArn = "arn:aws:states:eu-central-1:123456789012:stateMachine:turns";

/** The exported handlers of the functions, over stores in memory. A test invokes the executions that Step Functions would run. */
export interface AwsHandlers extends AsyncDisposable {
  aws: FakeAwsEndpoint;
  /** The same stores, beside the functions. */
  platform: ReturnType<typeof awsPlatform>;
  /** Calls `advance` as the state machine does, until the turn is done. */
  runExecution: (input: string) => Promise<void>;
  /** Invokes a turn without the state machine's ARN: as if the process were killed at its end. */
  endUnnoticed: (input: string) => Promise<void>;
  /** Runs executions, and those that they start, until none is left. `run`: default `runExecution`. */
  work: (run?: (input: string) => Promise<void>) => Promise<void>;
  sweep: () => Promise<void>;
  /** Sends a request to the management API as an operator who has signed in. Rejects with the body of an error. */
  call: <Body>(method: string, path: string, body?: object) => Promise<Body>;
}

/** Sets the functions' environment until it is disposed: one per process. `environment`: further variables. */
export async function awsHandlers({
  functions = {},
  environment = {},
}: {
  functions?: Record<string, (event: unknown) => Promise<unknown>>;
  environment?: Record<string, string>;
} = {}): Promise<AwsHandlers> {
  const aws = await fakeAwsEndpoint({}, { keepsObjects: true, functions });
  const all = {
    AWS_REGION: "eu-central-1",
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_ENDPOINT_URL: aws.endpoint,
    TABLE_NAME: "table",
    BUCKET_NAME: "bucket",
    DOCUMENTS_FUNCTION: "documents",
    RETENTION_DAYS: "90",
    SECRET_PREFIX: "agent-run-service/prod/",
    STATE_MACHINE_ARN: stateMachineArn,
    SERVICE_STACK: "AgentRunService-prod",
    SERVICE_URL: "https://example.com",
    CONSOLE_ROLES: JSON.stringify({ claim: "groups", operators: ["ops"], viewers: [] }),
    ...environment,
  };
  for (const [name, value] of Object.entries(all)) vi.stubEnv(name, value);
  const platform = awsPlatform({
    clients: { region: "eu-central-1", credentials, endpoint: aws.endpoint },
    table: "table",
    bucket: "bucket",
    secretPrefix: "agent-run-service/prod/",
    stateMachineArn,
    retentionDays: 90,
  });
  // The functions read their environment when they are loaded.
  const [advance, sweep, manage] = await Promise.all([
    import("../../lambdas/advance.ts"),
    import("../../lambdas/sweep.ts"),
    import("../../lambdas/manage.ts"),
  ]);
  const context = { getRemainingTimeInMillis: () => 900_000 };

  const advanceTurn = asLambda<AdvancePayload, AdvanceResponse>(advance.handler);
  const requestManagement = asApiFunction(manage.handler);

  async function runExecution(input: string): Promise<void> {
    const payload = { ...(JSON.parse(input) as { runId: string; turn: number }), stateMachineArn };
    while (!(await advanceTurn(payload, context)).done);
  }

  return {
    aws,
    platform,
    runExecution,
    async endUnnoticed(input) {
      await advanceTurn(JSON.parse(input) as { runId: string; turn: number }, context);
    },
    async work(run = runExecution) {
      while (aws.running.size > 0) {
        const executions = [...aws.running];
        await Promise.all(executions.map(([, input]) => run(input)));
        for (const [name] of executions) aws.running.delete(name);
      }
    },
    async sweep() {
      await asLambda(sweep.handler)({}, context);
    },
    async call<Body>(method: string, path: string, body?: object): Promise<Body> {
      const claims = { sub: "mira", groups: ["ops"] };
      const token = `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.signature`;
      const [rawPath = "", rawQueryString = ""] = path.split("?");
      const authorized = { authorizer: { jwt: claims } };
      const response = await requestManagement({
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        rawPath: `/manage/v1${rawPath}`,
        rawQueryString,
        isBase64Encoded: false,
        ...(body && { body: JSON.stringify(body) }),
        requestContext: { requestId: "r", http: { method }, ...authorized },
      });
      if ((response.statusCode ?? 500) >= 400) throw new Error(String(response.body));
      return JSON.parse(String(response.body) || "null") as Body;
    },
    async [Symbol.asyncDispose]() {
      vi.unstubAllEnvs();
      platform.close();
      await aws.close();
    },
  };
}

import { randomUUID } from "node:crypto";
import { createHandler } from "../src/api/handlers/create.ts";
import { getHandler } from "../src/api/handlers/get.ts";
import { type ApiGatewayEvent, lambdaHandler } from "../src/api/server/lambda.ts";
import { logging } from "../src/log.ts";
import { issueKey } from "../src/accounts/keys.ts";
import type { Agent } from "../src/accounts/types.ts";
import { documentClient, s3Client, sfnClient } from "../src/platform/aws/clients.ts";
import { awsStores } from "../src/platform/aws/index.ts";
import { awsWorkflow } from "../src/platform/aws/workflow.ts";
import { advance } from "../src/workflow/advance.ts";
import { awsEndpoint } from "./aws-endpoint.ts";
import { modelLoop } from "./model-loop.ts";

/** What `src/env.ts` reads, for handlers in this process or another. */
export const environment = {
  AWS_REGION: "eu-central-1",
  AWS_ACCESS_KEY_ID: "AKIAIOSFODNN7EXAMPLE",
  AWS_SECRET_ACCESS_KEY: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  TABLE_NAME: "table",
  BUCKET_NAME: "bucket",
  STATE_MACHINE_ARN: "arn:aws:states:eu-central-1:123456789012:stateMachine:turns",
  RETENTION_DAYS: "90",
};

const notes = { filename: "notes.txt", content: Buffer.alloc(2_048, "A line of the notes that the agent reads.\n") };

export type AwsHome = Awaited<ReturnType<typeof awsHome>>;

/**
 * The service's own handlers over the real AWS clients, at an endpoint of this machine that counts what they ask.
 * `delay`: milliseconds that it takes to answer.
 */
export async function awsHome({ delay }: { delay: number }) {
  const [endpoint, model] = await Promise.all([awsEndpoint({ delay }), modelLoop()]);
  const settings = {
    region: environment.AWS_REGION,
    credentials: { accessKeyId: environment.AWS_ACCESS_KEY_ID, secretAccessKey: environment.AWS_SECRET_ACCESS_KEY },
    endpoint: endpoint.url,
  };
  const documents = documentClient(settings);
  const s3 = await s3Client(settings);
  const sfn = sfnClient(settings);
  const { TABLE_NAME: table, BUCKET_NAME: bucket, STATE_MACHINE_ARN: stateMachineArn } = environment;
  const stores = awsStores({ documents, s3: async () => s3, table, bucket });
  const deps = {
    ...stores,
    workflow: awsWorkflow({ sfn, stateMachineArn }),
    now: Date.now,
    secretExists: () => true,
    secretOf: async () => undefined,
  };
  const handlers = { create: lambdaHandler(createHandler(deps)), get: lambdaHandler(getHandler(deps)) };

  const organization = { id: randomUUID(), name: "Bench" };
  const agent: Agent = {
    id: randomUUID(),
    organizationId: organization.id,
    name: "Reader",
    instructions: "Read the notes before you answer.",
    tools: ["read_file"],
    limits: { steps: 200, tokens: 100_000_000, seconds: 3_600 },
    status: "active",
  };
  logging.level = "error";
  await stores.accounts.createAgent(agent);
  const { key } = await issueKey(stores.accounts, agent);
  endpoint.take();

  function event(method: string, path: string, more: Partial<ApiGatewayEvent>): ApiGatewayEvent {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const requestContext = { requestId: "bench", http: { method } };
    return { headers, rawPath: path, isBase64Encoded: false, requestContext, ...more };
  }
  const events = {
    create: (files: number, input = "What do the notes say? ".repeat(20)) =>
      event("POST", "/v1/agents", {
        body: JSON.stringify({
          name: "A run of the benchmark",
          template_id: agent.id,
          input_text: input,
          files: Array.from({ length: files }, (_, index) => ({
            filename: index === 0 ? notes.filename : `more-${index}.txt`,
            content_base64: notes.content.toString("base64"),
          })),
        }),
      }),
    get: (runId: string) => event("GET", `/v1/agents/${runId}`, { pathParameters: { agent_id: runId } }),
  };

  return {
    endpoint,
    events,
    agent,
    runs: stores.runs,
    /** Sets the model of the organization: one that ends its turn after so many steps. */
    async thinkingFor(steps: number) {
      const provider = {
        provider: "openai-compatible",
        enabled: true,
        baseUrl: model.url,
        model: String(steps),
      } as const;
      await stores.accounts.createOrganization({ ...organization, model: provider });
      endpoint.take();
    },
    async create(...sent: Parameters<typeof events.create>): Promise<string> {
      const { statusCode, body = "" } = await handlers.create(events.create(...sent));
      if (statusCode !== 201) throw new Error(`create answered ${statusCode}: ${body}`);
      return (JSON.parse(body) as { agent_id: string }).agent_id;
    },
    async get(runId: string): Promise<{ loop_status: string; transcript: unknown[] }> {
      const { statusCode, body = "" } = await handlers.get(events.get(runId));
      if (statusCode !== 200) throw new Error(`get answered ${statusCode}: ${body}`);
      return JSON.parse(body) as { loop_status: string; transcript: unknown[] };
    },
    /** One invocation of `advance`, with all the time it may have. */
    advance: (runId: string) =>
      advance(deps, { runId, turn: 1 }, { signal: new AbortController().signal, deadline: Infinity }),
    async close() {
      documents.destroy();
      s3.destroy();
      sfn.destroy();
      await Promise.all([endpoint.close(), model.close()]);
    },
  };
}

import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { createAgent } from "../src/accounts/agents/agents.ts";
import { issueKey } from "../src/accounts/keys.ts";
import { createOrganization, setModel } from "../src/accounts/organizations.ts";
import type { ApiGatewayEvent } from "../src/http/server/lambda.ts";
import { awsPlatform } from "../src/platform/aws/open-platform.ts";
import type { AdvancePayload } from "../src/workflow/payload.ts";
import { answersWithResult, callsTool, chatServer, type Reply } from "../test/providers/chat-completions-server.ts";
import { type Call, fakeAwsEndpoint } from "../test/support/fake-aws/endpoint.ts";
import { loadBundles } from "./bundles.ts";
import type { Row } from "./table.ts";
import { asApiFunction, asLambda } from "../test/support/lambda-function.ts";

/**
 * Most calls in sequence, and units of the table, of one operation. Calls in sequence are latency, units are cost: a change of a
 * number here is one of docs/scale.md or docs/cost.md, too. A poll is one of v1, with the transcript. Of a step, which is not the
 * first one, calls beside that of its model are not in sequence.
 */
const budgets: Record<string, Usage> = {
  create: { sequence: 4, read: 4, write: 13 },
  poll: { sequence: 2, read: 3, write: 0 },
  "poll of /ext/v1": { sequence: 3, read: 4, write: 0 },
  "poll of /ext/v1 that finds no change (304)": { sequence: 2, read: 2, write: 0 },
  "start of a turn, until its model is called": { sequence: 2, read: 3, write: 2 },
  step: { sequence: 1, read: 0, write: 10 },
  "end of a turn": { sequence: 1, read: 0, write: 8 },
};

/**
 * Most times that loading a bundle takes that of `fail`, which has little but DynamoDB's client: the smallest processor times, which
 * depend least on what else the machine does.
 */
const initBudgets: Record<string, number> = {
  create: 1.9,
  get: 1.9,
  ext: 2.3,
  advance: 3.3,
  mcp: 2.9,
  "read-document": 0.7,
};

interface Usage {
  sequence: number;
  read: number;
  write: number;
}

interface Progress {
  calls: number;
  depth: number;
}

const noUsage: Usage = { sequence: Number.NaN, read: Number.NaN, write: Number.NaN };

const environment = {
  AWS_REGION: "eu-central-1",
  AWS_ACCESS_KEY_ID: "AKIAEXAMPLE",
  AWS_SECRET_ACCESS_KEY: "secret",
  TABLE_NAME: "table",
  BUCKET_NAME: "bucket",
  DOCUMENTS_FUNCTION: "documents",
  RETENTION_DAYS: "90",
  SECRET_PREFIX: "agent-run-service/prod/",
  MAX_UPLOAD_BYTES: "104857600",
  STATE_MACHINE_ARN: "arn:aws:states:eu-central-1:123456789012:stateMachine:turns",
};

/**
 * Counts the calls of the handlers that are deployed, at an endpoint that their AWS clients send them to; and measures how long
 * the bundles take to load.
 */
export async function measureAws({ samples }: { samples: number }): Promise<Row[]> {
  const used = await countCalls();
  const counted = Object.entries(budgets).flatMap(([name, budget]): Row[] => {
    const { sequence, read, write } = used[name] ?? noUsage;
    return [
      { name: `${name}: calls in sequence`, unit: "", service: sequence, target: { atMost: budget.sequence } },
      { name: `${name}: read units`, unit: "", service: read, target: { atMost: budget.read } },
      { name: `${name}: write units`, unit: "", service: write, target: { atMost: budget.write } },
    ];
  });
  const inits = new Map(loadBundles(samples).map(({ name, loads }) => [name, leastTime(loads)]));
  const floor = inits.get("fail") ?? NaN;
  const loaded = [...inits].map(([name, service]): Row => {
    const timesFloor = initBudgets[name];
    const target = timesFloor === undefined ? undefined : { timesFloor };
    return { name: `${name}: init, processor`, unit: "ms", service, floor, target };
  });
  return [...counted, ...loaded];
}

const leastTime = (loads: { processor: number }[]): number => Math.min(...loads.map(({ processor }) => processor));

/** Milliseconds of a call of AWS, and of a model, which takes longer. */
const [awsDelay, modelDelay] = [40, 80];

async function countCalls(): Promise<Record<string, Usage>> {
  const aws = await fakeAwsEndpoint({}, { keepsObjects: true, delay: awsDelay });
  const restore = setEnvironment({ ...environment, AWS_ENDPOINT_URL: aws.endpoint });
  const steps = { left: 0 };
  /** How many calls there were when a model was called and when it answered, and the longest chain of answered ones. */
  const atModel: { called: Progress; answered: Progress }[] = [];
  const progress = (): Progress => ({ calls: aws.calls.length, depth: aws.depth() });
  const works: Reply = async (response, received) => {
    const called = progress();
    await setTimeout(modelDelay);
    atModel.push({ called, answered: progress() });
    return (steps.left-- > 0 ? callsTool("list_files", {}) : answersWithResult)(response, received);
  };
  const model = await chatServer(...Array.from({ length: 50 }, () => works));
  const credentials = { accessKeyId: "AKIAEXAMPLE", secretAccessKey: "secret" };
  const platform = awsPlatform({
    clients: { region: environment.AWS_REGION, credentials, endpoint: aws.endpoint },
    table: environment.TABLE_NAME,
    bucket: environment.BUCKET_NAME,
    secretPrefix: environment.SECRET_PREFIX,
    stateMachineArn: environment.STATE_MACHINE_ARN,
  });
  try {
    const { id: organizationId } = await createOrganization(platform.accounts, { name: "O" });
    const settings = { provider: "openai-compatible", baseUrl: model.baseUrl, model: "m", enabled: true } as const;
    await setModel(platform.accounts, organizationId, settings);
    const limits = { steps: 50, tokens: 1e6, seconds: 1e6 };
    const agent = await createAgent(platform.accounts, organizationId, {
      name: "Agent",
      instructions: "Work.",
      tools: ["list_files"],
      limits,
    });
    const { key } = await issueKey(platform.accounts, { id: agent.id, organizationId });
    const create = asApiFunction((await import("../lambdas/create.ts")).handler);
    const get = asApiFunction((await import("../lambdas/get.ts")).handler);
    const ext = asApiFunction((await import("../lambdas/ext.ts")).handler);
    const advance = asLambda((await import("../lambdas/advance.ts")).handler);
    const since = async (work: () => Promise<unknown>): Promise<Usage> => {
      const before = aws.calls.length;
      await work();
      return usageOf(aws.calls.slice(before));
    };
    const file = { filename: "a.csv", content_base64: Buffer.alloc(10_000, "a,b\n").toString("base64") };
    const body = JSON.stringify({ name: "Run", template_id: agent.id, input_text: "Read the file.", files: [file] });
    const newRun = async (): Promise<string> => {
      const response = await create(event("POST", key, { body }));
      if (response.statusCode !== 201) throw new Error(`the create failed: ${response.body}`);
      return (JSON.parse(response.body ?? "") as { agent_id: string }).agent_id;
    };
    const read = (runId: string) => get(event("GET", key, { pathParameters: { agent_id: runId } }));
    const runTurn = async (runId: string, stepCount: number): Promise<void> => {
      steps.left = stepCount;
      const payload = { runId, turn: 1 } as AdvancePayload;
      await advance(payload, { getRemainingTimeInMillis: () => 900_000 });
    };
    const countRound = async (): Promise<Record<string, Usage>> => {
      const used: Record<string, Usage> = { create: await since(newRun) };
      const runId = await newRun();
      const [before, first] = [aws.calls.length, atModel.length];
      await runTurn(runId, 4);
      const models = atModel.slice(first);
      const [start, , , , last] = models;
      if (!start || !last) throw new Error("the turn made fewer calls of its model than expected");
      used["start of a turn, until its model is called"] = usageOf(aws.calls.slice(before, start.called.calls));
      const [, ...afterFirst] = models; // the first results of an invocation are waited for
      const waits = afterFirst
        .slice(1)
        .map(({ called }, index) => called.depth - (afterFirst[index]?.answered.depth ?? Number.NaN));
      const inSteps = dividedBy(4, usageOf(aws.calls.slice(start.answered.calls, last.answered.calls)));
      used["step"] = { ...inSteps, sequence: waits.reduce((sum, wait) => sum + wait, 0) / waits.length };
      used["end of a turn"] = usageOf(aws.calls.slice(last.answered.calls));
      used["poll"] = await since(() => read(runId));
      const readExt = (headers: Record<string, string> = {}) =>
        ext(event("GET", key, { rawPath: `/ext/v1/runs/${runId}` }, headers));
      const { headers } = await readExt(); // reads what never changes once
      used["poll of /ext/v1"] = await since(readExt);
      const known = { "if-none-match": String(headers?.["etag"]) };
      used["poll of /ext/v1 that finds no change (304)"] = await since(() => readExt(known));
      return used;
    };
    await runTurn(await newRun(), 1); // opens clients, records the use of the key, reads the configuration
    // On a busy machine, calls that are sent at the same time can arrive one after the other.
    return [await countRound(), await countRound(), await countRound()].reduce(least);
  } finally {
    platform.close();
    await model[Symbol.asyncDispose]();
    await aws.close();
    restore();
  }
}

/** The fewest calls in sequence of two rounds. Their units are the same. */
function least(one: Record<string, Usage>, other: Record<string, Usage>): Record<string, Usage> {
  const names = Object.keys(one);
  return Object.fromEntries(
    names.map((name) => {
      const [a, b] = [one[name] ?? noUsage, other[name] ?? noUsage];
      return [name, { ...a, sequence: Math.min(a.sequence, b.sequence) }];
    }),
  );
}

/** Of calls that follow each other without others between them. */
function usageOf(calls: Call[]): Usage {
  const sum = (of: (call: Call) => number): number => calls.reduce((total, call) => total + of(call), 0);
  const depths = calls.map(({ depth }) => depth);
  const sequence = calls.length === 0 ? 0 : Math.max(...depths) - Math.min(...depths) + 1;
  return { sequence, read: sum(({ read }) => read), write: sum(({ write }) => write) };
}

function dividedBy(count: number, { sequence, read, write }: Usage): Usage {
  return { sequence: sequence / count, read: read / count, write: write / count };
}

function event(
  method: string,
  key: string,
  more: Partial<ApiGatewayEvent>,
  headers: Record<string, string> = {},
): ApiGatewayEvent {
  return {
    rawPath: "/v1/agents",
    headers: { "x-api-key": key, "content-type": "application/json", ...headers },
    isBase64Encoded: false,
    requestContext: { requestId: randomUUID(), http: { method } },
    ...more,
  };
}

/** Sets environment variables as Lambda and the stack do, and writes no metrics. Returns what takes both back. */
function setEnvironment(variables: Record<string, string>): () => void {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, variables);
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = () => true;
  return () => {
    process.stdout.write = write;
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
}

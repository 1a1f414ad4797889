import { setTimeout as sleep } from "node:timers/promises";
import {
  CloudFormationClient,
  DescribeStackResourcesCommand,
  DescribeStacksCommand,
} from "@aws-sdk/client-cloudformation";
import { signedHeaders } from "../../src/platform/aws/sdk/sign-request.ts";
import { consoleName, stackName } from "./cdk.ts";
import { forwardTo } from "./forwarder.ts";
import { environment, run, succeed } from "./processes.ts";

/** The outputs of a stack by name. */
export async function stackOutputs(stack = stackName): Promise<Record<string, string>> {
  const cloudFormation = new CloudFormationClient({ endpoint: endpoint() });
  const { Stacks = [] } = await cloudFormation.send(new DescribeStacksCommand({ StackName: stack }));
  cloudFormation.destroy();
  return Object.fromEntries(
    (Stacks[0]?.Outputs ?? []).map(({ OutputKey = "", OutputValue = "" }) => [OutputKey, OutputValue]),
  );
}

/** Physical id of a resource of a service stack: a function's name, a queue's URL. `id`: of its construct. */
export async function stackResource(id: string, stack = stackName): Promise<string> {
  const cloudFormation = new CloudFormationClient({ endpoint: endpoint() });
  const { StackResources = [] } = await cloudFormation.send(new DescribeStackResourcesCommand({ StackName: stack }));
  cloudFormation.destroy();
  const found = StackResources.find(
    ({ LogicalResourceId = "" }) => LogicalResourceId.replace(/[0-9A-F]{8}$/, "") === id,
  );
  if (found?.PhysicalResourceId === undefined) throw new Error(`${stack} has no resource ${id}`);
  return found.PhysicalResourceId;
}

/** Invokes a function of a service stack with an empty event. Resolves with its JSON result. */
export async function callFunction(id: string, stack = stackName): Promise<unknown> {
  const url = new URL(`/2015-03-31/functions/${await stackResource(id, stack)}/invocations`, endpoint());
  const call = { url, method: "POST", body: "{}" };
  const answer = await fetch(url, {
    ...call,
    headers: await signedHeaders({ ...call, aws: emulated(), service: "lambda" }),
  });
  return answer.json();
}

/** The client settings for MiniStack. */
export function emulated() {
  return {
    region: "us-east-1",
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
    endpoint: endpoint(),
  };
}

export function endpoint(): string {
  const url = process.env["AWS_ENDPOINT_URL"];
  if (url) return url;
  throw new Error("AWS_ENDPOINT_URL is missing. Run these tests with npm run test:deploy, which starts MiniStack");
}

/** Starts a local forwarder to the API. MiniStack selects the API by its host name, which DNS resolves only on AWS. */
export async function forwardToApi(apiUrl: string): Promise<{ baseUrl: string; close: () => void }> {
  const server = await forwardTo(new URL(endpoint()), { host: new URL(apiUrl).host });
  return { baseUrl: server.url, close: () => void server.close() };
}

/** Runs the admin CLI on the deployed stack with the operator's rights. Resolves with its JSON output. */
export async function admin(...args: string[]): Promise<Record<string, string>> {
  const command = ["run", "-s", "admin", "--", "--stack", stackName, "--json", ...args];
  const { OPERATOR_ACCESS_KEY_ID = "", OPERATOR_SECRET_ACCESS_KEY = "" } = process.env;
  const keys = { AWS_ACCESS_KEY_ID: OPERATOR_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY: OPERATOR_SECRET_ACCESS_KEY };
  return JSON.parse(await succeed("npm", command, { env: environment(keys) })) as Record<string, string>;
}

/** Runs `operator invite` on the console's stack, with the right to invite people and no other. */
export async function invite(...args: string[]): Promise<void> {
  const command = ["run", "-s", "admin", "--", "--stack", consoleName, "operator", "invite", ...args];
  const { INVITER_ACCESS_KEY_ID = "", INVITER_SECRET_ACCESS_KEY = "" } = process.env;
  const keys = { AWS_ACCESS_KEY_ID: INVITER_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY: INVITER_SECRET_ACCESS_KEY };
  await succeed("npm", command, { env: environment(keys) });
}

/** Runs `npm run conformance`. `summary` is its last line. */
export async function conformance(
  ...args: string[]
): Promise<{ status: number | null; summary: string; failures: string }> {
  const { status, stdout } = await run("npm", ["run", "-s", "conformance", "--", ...args]);
  const lines = stdout.trim().split("\n");
  return {
    status,
    summary: lines.at(-1) ?? "",
    failures: lines.filter((line) => /^(FAIL| {4})/.test(line)).join("\n"),
  };
}

export interface RunStatus {
  agent_id: string;
  loop_status: string;
  transcript: { role: string; text: string }[];
}

/** A client of the API with the key of one agent. */
export function client(baseUrl: string, agentId: string, key: string) {
  const authorization = `Bearer ${key}`;

  async function read(runId: string): Promise<RunStatus> {
    const answer = await fetch(`${baseUrl}/v1/agents/${runId}`, { headers: { authorization } });
    if (answer.status !== 200) throw new Error(`get answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as RunStatus;
  }

  return {
    read,

    /** Creates a run and resolves with its id. */
    async create(input_text: string, files: { filename: string; content_base64: string }[] = []): Promise<string> {
      const answer = await fetch(`${baseUrl}/v1/agents`, {
        method: "POST",
        headers: { authorization, "content-type": "application/json" },
        body: JSON.stringify({ name: "deploy test", template_id: agentId, input_text, files }),
      });
      if (answer.status !== 201) throw new Error(`create answered ${answer.status}: ${await answer.text()}`);
      return ((await answer.json()) as RunStatus).agent_id;
    },

    /** Polls a run until it is no longer `running`. */
    async ended(runId: string, seconds = 180): Promise<RunStatus> {
      for (const begun = Date.now(); Date.now() - begun < seconds * 1_000; await sleep(100)) {
        const status = await read(runId);
        if (status.loop_status !== "running") return status;
      }
      throw new Error(`run ${runId} is still running after ${seconds} s`);
    },
  };
}

import type { ServerResponse } from "node:http";
import { ListObjectsV2Command } from "@aws-sdk/client-s3";
import { CreateSecretCommand } from "@aws-sdk/client-secrets-manager";
import { DescribeExecutionCommand } from "@aws-sdk/client-sfn";
import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { expect } from "vitest";
import { awsExecutions } from "../../src/platform/aws/functions/execution-list.ts";
import { documentClient, loadS3Client, sfnClient } from "../../src/platform/aws/sdk/clients.ts";
import { awsStores } from "../../src/platform/aws/open-platform.ts";
import { secretsManagerClient } from "../../src/platform/aws/secrets.ts";
import { awsWorkflow } from "../../src/platform/aws/workflow.ts";
import { chunk, send, startStream, usageChunk } from "../providers/chat-completions-server.ts";
import { admin, client, conformance, emulated, forwardToApi, stackOutputs } from "./service.ts";

/** The deployed service, through its API and through the AWS APIs. */
export async function openDeployed() {
  const settings = emulated();
  const [documents, sfn, s3] = [documentClient(settings), sfnClient(settings), await loadS3Client(settings)];
  const outputs = await stackOutputs();
  const { TableName: table = "", BucketName: bucket = "", StateMachineArn: stateMachineArn = "" } = outputs;
  const forwarder = await forwardToApi(outputs["ApiUrl"] ?? "");

  return {
    baseUrl: forwarder.baseUrl,
    sfn,
    stores: awsStores({ documents, s3: async () => s3, table, bucket }),
    executions: awsExecutions({ sfn, stateMachineArn }),
    workflow: awsWorkflow({ sfn, stateMachineArn }),

    /** Creates an organization with this model, an agent and a key with the admin CLI. */
    async newAgent(...model: string[]) {
      const { id: org = "" } = await admin("org", "create", "--name", "Deploy test");
      await admin("org", "set-model", org, ...model);
      const { id = "" } = await admin("agent", "create", "--file", "examples/assistant.json", "--org", org);
      const { key: api_key = "" } = await admin("key", "create", "--agent", id);
      return { id, org, key: api_key, api: client(forwarder.baseUrl, id, api_key) };
    },

    /** Runs the conformance suite with this agent, another agent and a disabled key. */
    async conformance(baseUrl: string, { id, key }: { id: string; key: string }) {
      const other = await this.newAgent("--provider", "demo");
      const { key: disabled = "", id: hash = "" } = await admin("key", "create", "--agent", id);
      await admin("key", "disable", hash);
      const target = ["--base-url", baseUrl, "--template-id", id, "--quotes-files"];
      return conformance(...target, "--api-key", key, "--other-api-key", other.key, "--disabled-api-key", disabled);
    },

    /** Creates a secret of an organization with the text `SecretString`. */
    async createSecret(org: string, name: string, SecretString: string): Promise<void> {
      const secrets = await secretsManagerClient(settings);
      await secrets.send(new CreateSecretCommand({ Name: `${outputs["SecretPrefix"]}${org}/${name}`, SecretString }));
      secrets.destroy();
    },

    async itemsOf(runId: string): Promise<Record<string, unknown>[]> {
      const { Items = [] } = await documents.send(
        new QueryCommand({
          TableName: table,
          KeyConditionExpression: "pk = :pk",
          ExpressionAttributeValues: { ":pk": `RUN#${runId}` },
        }),
      );
      return Items;
    },

    async objectsOf(runId: string): Promise<string[]> {
      const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: bucket }));
      return Contents.map(({ Key = "" }) => Key).filter((key) => key.includes(runId));
    },

    executionArn(runId: string, turn: number): string {
      return `${stateMachineArn.replace(":stateMachine:", ":execution:")}:${runId}-${turn}`;
    },

    async execution(runId: string, turn: number) {
      return sfn.send(new DescribeExecutionCommand({ executionArn: this.executionArn(runId, turn) }));
    },

    close(): void {
      forwarder.close();
      documents.destroy();
      sfn.destroy();
      s3.destroy();
    },
  };
}

export type Deployed = Awaited<ReturnType<typeof openDeployed>>;
export type Agent = Awaited<ReturnType<Deployed["newAgent"]>>;

/** The expected result of `conformance`. */
export const keepsTheContract = {
  status: 0,
  summary: expect.stringMatching(/^\d\d+ passed, 0 failed$/) as string,
  failures: "",
};

/** The model options for a server at this address. */
export function server(baseUrl: string): string[] {
  return ["--provider", "openai-compatible", "--base-url", baseUrl, "--model", "m"];
}

/** Completes an open model call. */
export function answer(response: ServerResponse | undefined): void {
  if (!response) throw new Error("no model call is in flight");
  startStream(response);
  send(response, chunk({ content: "Thought through." }), chunk({}, { finish_reason: "stop" }), usageChunk, "[DONE]");
  response.end();
}

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HeadBucketCommand, NotFound, PutBucketTaggingCommand } from "@aws-sdk/client-s3";
import { GetSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { afterAll, expect, test } from "vitest";
import { awsRecords } from "../../src/platform/aws/records.ts";
import { accountsOf } from "../../src/platform/records/accounts.ts";
import { documentClient, loadS3Client } from "../../src/platform/aws/sdk/clients.ts";
import { secretsManagerClient } from "../../src/platform/aws/secrets.ts";
import { environment, succeed } from "./processes.ts";
import { client, emulated, forwardToApi, stackOutputs } from "./service.ts";

// The construct in somebody's own app, in a folder without this project, whose deployment creates, changes and ends an agent and its key.

const folder = mkdtempSync(join(tmpdir(), "own-app-"));
afterAll(() => rmSync(folder, { recursive: true }));
const app = `node ${join(import.meta.dirname, "own-app.ts")}`;

/** Runs the CDK CLI in the folder. Resolves with its output. */
function cdk(...args: string[]): Promise<string> {
  const env = environment({ CDK_DISABLE_CLI_TELEMETRY: "true" });
  return succeed("cdk", [...args, "--ci"], { cwd: folder, env }); // --ci: to standard output
}

/** Deploys a stage of `own-app.ts`. */
function deploy(time: string): Promise<string> {
  // `direct` saves the time for a change set.
  return cdk("deploy", `${time}/OwnApp`, "--app", "cdk.out", "--require-approval", "never", "--method", "direct");
}

test("a deployment creates an agent with a key, changes it, and ends both when they are removed", async () => {
  const definition = { name: "Support", instructions: "Help." };
  writeFileSync(join(folder, "support.json"), JSON.stringify(definition));
  const changed = { ...definition, name: "Support desk", instructions: "Help kindly." };
  writeFileSync(join(folder, "support-desk.json"), JSON.stringify(changed));
  await cdk("synth", "--app", app, "--quiet");
  await deploy("Created");
  const { ApiUrl = "", KeySecret, AgentId = "", TableName: table = "", BucketName } = await stackOutputs("OwnApp");
  const settings = emulated();
  const [documents, secrets] = [documentClient(settings), await secretsManagerClient(settings)];
  const accounts = accountsOf(awsRecords({ documents, table }));
  const found = async () => {
    const { name, version, status } = (await accounts.findAgent(AgentId)) ?? {};
    const keys = (await accounts.listKeys(AgentId)).map(({ enabled }) => enabled);
    return { name, version, status, keys, agents: (await accounts.listAgents()).length };
  };
  const created = { name: "Support", version: 1, status: "active", keys: [true], agents: 1 };
  expect(await found()).toEqual(created);

  const { SecretString: key = "" } = await secrets.send(new GetSecretValueCommand({ SecretId: KeySecret }));
  const api = await forwardToApi(ApiUrl);
  const support = client(api.baseUrl, AgentId, key);
  expect(await support.ended(await support.create("Hello"))).toMatchObject({ loop_status: "finished" });

  expect(await deploy("Created")).toContain("(no changes)");
  expect(await found()).toEqual(created);

  await deploy("Changed");
  expect((await stackOutputs("OwnApp"))["AgentId"]).toBe(AgentId);
  expect(await found()).toEqual({ ...created, name: "Support desk", version: 2 });
  expect(await support.ended(await support.create("Hello"))).toMatchObject({ loop_status: "finished" });

  await deploy("Ended");
  expect(await found()).toMatchObject({ version: 2, status: "archived", keys: [false], agents: 1 });
  await expect(support.create("Hello")).rejects.toThrow("create answered 401");

  const s3 = await loadS3Client(settings);
  // As in main.ts: MiniStack ignores the tags in a template.
  const TagSet = [{ Key: "aws-cdk:auto-delete-objects", Value: "true" }];
  await s3.send(new PutBucketTaggingCommand({ Bucket: BucketName, Tagging: { TagSet } }));
  await cdk("destroy", "Ended/OwnApp", "--app", "cdk.out", "--force");
  await expect(s3.send(new HeadBucketCommand({ Bucket: BucketName }))).rejects.toThrow(NotFound);
  await expect(stackOutputs("OwnApp")).rejects.toThrow("does not exist");
  for (const each of [documents, secrets, s3]) each.destroy();
  api.close();
}, 600_000); // four deployments

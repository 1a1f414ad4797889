import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleDocuments, bundleFunction } from "../../../lib/bundling.ts";
import { sha256Of } from "../../../src/agent/turn/files/manifest.ts";
import { awsPlatform } from "../../../src/platform/aws/open-platform.ts";
import type { AdvanceResponse } from "../../../src/workflow/payload.ts";
import { answersWithResult, callsTool, chatServer, type Reply } from "../../providers/chat-completions-server.ts";
import { fakeAwsEndpoint } from "../../support/fake-aws/endpoint.ts";
import { newRun, putAgent } from "../../support/scripted-runs.ts";
import { startFunction } from "./function-process.ts";

const credentials = { accessKeyId: "AKIAEXAMPLE", secretAccessKey: "secret" };
const region = "eu-central-1";

/** The model reads the file `document` and responds with the result. */
const readsDocument: Reply = (response, received) => {
  const isToolResult = JSON.stringify(received.body.messages.at(-1)).includes("tool_call_id");
  return (isToolResult ? answersWithResult : callsTool("read_file", { name: "document" }))(response, received);
};

/** The bundles of `advance` and of the function that reads its documents, as deployed, with AWS on this machine. */
export async function startAdvance() {
  const folder = mkdtempSync(join(tmpdir(), "advance-"));
  const [ofAdvance, ofDocuments] = ["advance", "documents"].map((name) => join(folder, name)) as [string, string];
  for (const each of [ofAdvance, ofDocuments]) mkdirSync(each);
  bundleFunction("advance", ofAdvance);
  bundleDocuments(ofDocuments);
  const documents = startFunction(ofDocuments, {});
  /** Characters of the messages to and from the function that reads documents. */
  const messages: number[] = [];
  async function invokeDocuments(event: unknown): Promise<unknown> {
    const answer = await documents.invoke(event).catch(({ message }: Error) => ({ errorMessage: message }));
    messages.push(JSON.stringify(event).length, JSON.stringify(answer).length);
    return answer;
  }
  const aws = await fakeAwsEndpoint({}, { keepsObjects: true, functions: { documents: invokeDocuments } });
  const platform = awsPlatform({
    clients: { region, credentials, endpoint: aws.endpoint },
    table: "table",
    bucket: "bucket",
    secretPrefix: "agent-run-service/prod/",
    stateMachineArn: "",
  });
  await putAgent(platform);
  const model = await chatServer(...Array.from({ length: 100 }, () => readsDocument));
  const organization = await platform.accounts.findOrganization("O");
  if (!organization) throw new Error("no organization");
  const settings = { enabled: true, provider: "openai-compatible", baseUrl: model.baseUrl, model: "m" } as const;
  await platform.accounts.replaceOrganization({ ...organization, model: settings });

  const advance = startFunction(ofAdvance, {
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_ENDPOINT_URL: aws.endpoint,
    SANDBOX_ENDPOINT: "unused",
    SANDBOX_BUCKET_URL: "unused",
    DOCUMENTS_FUNCTION: "documents",
    TABLE_NAME: "table",
    BUCKET_NAME: "bucket",
    RETENTION_DAYS: "90",
    SECRET_PREFIX: "agent-run-service/prod/",
  });
  let runs = 0;

  return {
    messages,
    /** Names of the bucket's objects. */
    objectKeys: aws.objectKeys,
    /** Peaks of the resident memory in MB, without child processes. On Linux. */
    peakMemory: () => ({ advance: advance.peakMemory(), documents: documents.peakMemory() }),

    /** Advances a new run whose model reads this document. Resolves with the status and output of the run. */
    async read(content: Uint8Array): Promise<{ status: string | undefined; output: string | undefined }> {
      const runId = `run-${++runs}`;
      const sha256 = sha256Of(content);
      await platform.workspace.write(runId, [{ sha256, content }]);
      await newRun(platform, runId, Date.now(), "Read the document.", [
        { name: "document", size: content.length, sha256 },
      ]);
      const response = (await advance.invoke({ runId, turn: 1 })) as AdvanceResponse;
      if (!response.done) throw new Error(`advance did not end the turn: ${JSON.stringify(response)}`);
      const view = await platform.runs.read(runId);
      return { status: view?.run.status, output: view?.transcript.at(-1)?.text };
    },

    async close(): Promise<void> {
      for (const each of [advance, documents]) each.close();
      platform.close();
      await model[Symbol.asyncDispose]();
      await aws.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

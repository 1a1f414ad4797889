import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleAdvance } from "../../../lib/bundling.ts";
import { sha256Of } from "../../../src/agent/turn/manifest.ts";
import { awsPlatform } from "../../../src/platform/aws/index.ts";
import type { AdvanceResponse } from "../../../src/workflow/payload.ts";
import { answersWithResult, callsTool, chatServer, type Reply } from "../../providers/chat-completions-server.ts";
import { fakeAwsEndpoint } from "../../support/fake-aws/endpoint.ts";
import { newRun, putAgent } from "../../support/scripted-runs.ts";

const credentials = { accessKeyId: "AKIAEXAMPLE", secretAccessKey: "secret" };
const region = "eu-central-1";

/** What Lambda does with a function: loads the handler, and calls it with an event. */
const lambda = `
  const { handler } = require("./index.js");
  const context = { getRemainingTimeInMillis: () => 900_000 };
  process.on("message", (event) => {
    handler(event, context).then((response) => process.send({ response }), ({ message }) => process.send({ message }));
  });
`;

/** The model reads the file `document` and responds with the result. */
const readsDocument: Reply = (response, received) => {
  const isToolResult = JSON.stringify(received.body.messages.at(-1)).includes("tool_call_id");
  return (isToolResult ? answersWithResult : callsTool("read_file", { name: "document" }))(response, received);
};

/** The bundle of `advance` in a process that has the environment of the deployed function, with AWS on this machine. */
export async function startAdvance() {
  const folder = mkdtempSync(join(tmpdir(), "advance-"));
  bundleAdvance(folder);
  const aws = await fakeAwsEndpoint({}, { keepsObjects: true });
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

  writeFileSync(join(folder, "lambda.cjs"), lambda);
  const child = fork(join(folder, "lambda.cjs"), {
    execArgv: [],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    env: {
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      AWS_ENDPOINT_URL: aws.endpoint,
      TABLE_NAME: "table",
      BUCKET_NAME: "bucket",
      RETENTION_DAYS: "90",
      SECRET_PREFIX: "agent-run-service/prod/",
    },
  });
  let runs = 0;

  return {
    /** Peak of the resident memory in MB, without the child processes. On Linux. */
    peakMemory(): number {
      const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
      return Math.round(Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1]) / 1024);
    },

    /** Advances a new run whose model reads this document. Resolves with the status and output of the run. */
    async read(content: Uint8Array): Promise<{ status: string | undefined; output: string | undefined }> {
      const runId = `run-${++runs}`;
      const sha256 = sha256Of(content);
      await platform.workspace.write(runId, [{ sha256, content }]);
      await newRun(platform, runId, Date.now(), "Read the document.", [
        { name: "document", size: content.length, sha256 },
      ]);
      child.send({ runId, turn: 1 });
      const [answer] = (await once(child, "message")) as [{ response?: AdvanceResponse; message?: string }];
      if (!answer.response?.done) throw new Error(`advance did not end the turn: ${JSON.stringify(answer)}`);
      const view = await platform.runs.read(runId);
      return { status: view?.run.status, output: view?.transcript.at(-1)?.text };
    },

    async close(): Promise<void> {
      child.kill("SIGKILL");
      platform.close();
      await model[Symbol.asyncDispose]();
      await aws.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

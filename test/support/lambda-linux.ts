import { createHash } from "node:crypto";
import { text } from "node:stream/consumers";
import { newS3Client } from "../../src/platform/aws/s3/bucket.ts";
import { lambdaEnvironments } from "../../src/platform/aws/linux.ts";
import type { FunctionEvent } from "../../src/platform/aws/container/program-messages.ts";
import { lambdaSandbox } from "../../src/platform/aws/sandbox.ts";
import { stagedObjects } from "../../src/platform/aws/s3/staged-objects.ts";
import { contentKey } from "../../src/platform/aws/workspace.ts";
import type { Sandbox } from "../../src/sandbox/sandbox-types.ts";
import type { Linux, LinuxResult, StoredFile } from "../../src/sandbox/linux/linux-types.ts";
import { type Answer, type EnvironmentContainer, environmentContainer } from "./environment-container.ts";
import { httpServer } from "./http-server.ts";
import { type ObjectServer, objectServer } from "./object-server.ts";

const caller = {
  region: "us-east-1",
  credentials: { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" },
};
const run = { id: "0197a3b2-run", agentId: "agent-1" };

export interface Invoked {
  tenant: string | undefined;
  bytes: number;
  answerBytes: number;
}

/** Programs as a run on AWS has them: `advance`'s side, Lambda's Invoke API, the function in its container, and S3. */
export interface LambdaLinuxFixture extends AsyncDisposable {
  linux: Linux;
  /** Runs JavaScript in the same function. */
  sandbox: Sandbox;
  container: EnvironmentContainer;
  s3: ObjectServer;
  invoked: Invoked[];
  /** Replaces the function's answers. */
  answerWith(answer: ((event: FunctionEvent) => Promise<Answer>) | undefined): void;
  /** Stores the contents of files for the run. */
  store(files: Record<string, string | Buffer>): StoredFile[];
  /** Contents by name, as text. */
  read(files: StoredFile[]): Record<string, string>;
  sh(script: string, files?: StoredFile[], seconds?: number): Promise<LinuxResult>;
  python(program: string, files?: StoredFile[], seconds?: number): Promise<LinuxResult>;
}

export async function lambdaLinuxFixture(
  options: { memoryMegabytes?: number; deadline?: number; environments?: string[] } = {},
): Promise<LambdaLinuxFixture> {
  const s3 = await objectServer("data");
  const container = await environmentContainer(options.memoryMegabytes);
  const invoked: Invoked[] = [];
  let answer: ((event: FunctionEvent) => Promise<Answer>) | undefined;
  const lambda = await httpServer((request, response) => {
    void text(request).then(async (body) => {
      const event = JSON.parse(body) as FunctionEvent;
      const result = await (answer ?? container.invoke)(event).catch((error: unknown) => ({
        error: { errorType: "Error", errorMessage: String(error) },
      }));
      const sent = JSON.stringify("answer" in result ? result.answer : result.error);
      const { "x-amz-tenant-id": tenant } = request.headers;
      const bytes = Buffer.byteLength(body);
      invoked.push({ tenant: tenant as string | undefined, bytes, answerBytes: Buffer.byteLength(sent) });
      response.end(sent);
    });
  });
  const bucket = { name: "data", url: `${s3.url}/data` };
  const client = newS3Client({ ...caller, endpoint: s3.url });
  const aws = { ...caller, endpoint: lambda.url };
  const store = { bucket, objects: stagedObjects(async () => client, bucket.name) };
  const linuxOf = lambdaEnvironments({
    aws,
    environments: { linux: { functionName: "linux", image: "abc" } },
    isTenantIsolated: true,
    ...store,
  });
  const linux = await linuxOf(run, "linux", options.deadline ?? Date.now() + 3_600_000);
  if ("unavailable" in linux) throw new Error(linux.unavailable);
  const neverAborts = new AbortController().signal;
  return {
    linux,
    sandbox: lambdaSandbox({ aws, functionName: "linux", tenant: run.agentId }, store),
    container,
    s3,
    invoked,
    answerWith: (next) => void (answer = next),
    store: (files) =>
      Object.entries(files).map(([name, given]) => {
        const content = Buffer.from(given);
        const sha256 = createHash("sha256").update(content).digest("hex");
        s3.objects.set(contentKey(run.id, sha256), content);
        return { name, size: content.length, sha256 };
      }),
    read: (files) =>
      Object.fromEntries(
        files.map(({ name, sha256 }) => [name, s3.objects.get(contentKey(run.id, sha256))?.toString() ?? "(missing)"]),
      ),
    sh: (script, files = [], seconds = 20) =>
      linux.run({ language: "shell", text: script, files, seconds }, neverAborts),
    python: (program, files = [], seconds = 20) =>
      linux.run({ language: "python", text: program, files, seconds }, neverAborts),
    async [Symbol.asyncDispose]() {
      client.destroy();
      await container[Symbol.asyncDispose]();
      await lambda.close();
      await s3.close();
    },
  };
}

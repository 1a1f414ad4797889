import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { bundleOptions } from "../../lib/bundle-options.ts";
import { type LargeBodyHome, memoryEnvironment } from "../../lib/front-door-homes.ts";
import { newApiKey } from "../../lambdas/runs/keys.ts";
import { documentClient } from "../../lambdas/stores/aws/clients.ts";
import { awsAccounts } from "../../lambdas/stores/aws/accounts.ts";
import { type AwsWire, awsWire } from "./aws-wire.ts";

/** The bundle that is deployed, as a child process with the memory limits of its home. */
export interface LargeBodyProcess {
  port: number;
  apiKey: string;
  templateId: string;
  aws: AwsWire;
  child: ChildProcess;
  /** Lines of its log so far. */
  lines: Record<string, unknown>[];
  /** MB of memory that are resident now (`VmRSS`), or were at most (`VmHWM`, on Linux). */
  memory(field?: "VmRSS" | "VmHWM"): number;
  /** Resolves when the process is gone, with its exit code or signal. */
  end(): Promise<number | string | null>;
  /** Resolves with the exit code or signal. */
  exited: Promise<number | string | null>;
}

export const secrets = { new: "n".repeat(40), old: "o".repeat(40) };
const credentials = { accessKeyId: "AKIAEXAMPLE", secretAccessKey: "secret" };

export async function startLargeBodyServer(home: LargeBodyHome): Promise<LargeBodyProcess> {
  const aws = await awsWire({ "arn:new": secrets.new, "arn:old": secrets.old });
  const { apiKey, templateId } = await account(aws.endpoint);
  const folder = mkdtempSync(join(tmpdir(), "large-body-"));
  const entry = fileURLToPath(new URL("../../lambdas/entry/large-body.ts", import.meta.url));
  buildSync({ entryPoints: [entry], outfile: join(folder, "index.js"), ...bundleOptions });
  const env = {
    AWS_REGION: "eu-central-1",
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_ENDPOINT_URL: aws.endpoint,
    AWS_LAMBDA_HTTP_ENDPOINT: "127.0.0.1:0",
    TABLE_NAME: "table",
    BUCKET_NAME: "bucket",
    STATE_MACHINE_ARN: "arn:aws:states:eu-central-1:123456789012:stateMachine:machine",
    ORIGIN_SECRET_ARNS: "arn:new,arn:old",
    ...memoryEnvironment(home),
  };
  const child = spawn(process.execPath, [join(folder, "index.js")], {
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const exited = new Promise<number | string | null>((resolve) => {
    child.once("close", (code, signal) => resolve(code ?? signal));
  });
  void exited.then(() => {
    aws.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const lines: Record<string, unknown>[] = [];
  const port = await new Promise<number>((resolve, reject) => {
    createInterface(child.stderr).on("line", (text) => {
      const line = JSON.parse(text) as Record<string, unknown>;
      lines.push(line);
      if (line["message"] === "listening") resolve((line["address"] as { port: number }).port);
    });
    void exited.then((code) => reject(new Error(`ended with ${code}: ${JSON.stringify(lines)}`)));
  });
  return {
    port,
    apiKey,
    templateId,
    aws,
    child,
    lines,
    exited,
    memory: (field = "VmRSS") => megabytes(child.pid ?? 0, field),
    end() {
      child.kill("SIGTERM");
      return exited;
    },
  };
}

async function account(endpoint: string): Promise<{ apiKey: string; templateId: string }> {
  const documents = documentClient({ region: "eu-central-1", credentials, endpoint });
  const accounts = awsAccounts({ documents, table: "table" });
  const [organizationId, templateId] = [randomUUID(), randomUUID()];
  const { key: apiKey, hash, hint } = newApiKey();
  await accounts.putOrganization({ id: organizationId, name: "Test", model: { provider: "demo", enabled: true } });
  await accounts.putAgent({
    id: templateId,
    organizationId,
    name: "Agent",
    instructions: "",
    tools: [],
    limits: { steps: 1, tokens: 1_000, seconds: 60 },
    status: "active",
  });
  await accounts.putKey({ hash, hint, agentId: templateId, organizationId, enabled: true, createdAt: 0 });
  documents.destroy();
  return { apiKey, templateId };
}

/** The child's own `resourceUsage` is of no use: on Linux its maximum begins with that of the process it came from. */
function megabytes(pid: number, field: string): number {
  const kilobytes = existsSync("/proc/self/status")
    ? new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]
    : execFileSync("ps", ["-o", "rss=", "-p", String(pid)]).toString();
  return Math.round(Number(kilobytes) / 1024);
}

export interface Answer {
  status: number;
  headers: Record<string, unknown>;
  body: unknown;
}

/** The JSON of a create whose files have these sizes in bytes. */
export function createBody({ templateId }: LargeBodyProcess, sizes: number[]): Buffer {
  const files = sizes.map((size, index) => ({
    filename: `file-${index}.bin`,
    content_base64: Buffer.alloc(size, index + 1).toString("base64"),
  }));
  return Buffer.from(JSON.stringify({ name: "large", template_id: templateId, input_text: "Read them.", files }));
}

export function headersOf({ apiKey }: LargeBodyProcess): Record<string, string> {
  return { authorization: `Bearer ${apiKey}`, "content-type": "application/json", "x-origin-secret": secrets.new };
}

/** One request on a connection of its own. `headers` over the usual ones; with a transfer-encoding it has no length. */
export function send(
  service: LargeBodyProcess,
  body: Buffer | undefined,
  { method = "POST", path = "/v1/agents", headers = {} }: { method?: string; path?: string; headers?: object } = {},
): Promise<Answer> {
  const chunked = "transfer-encoding" in headers;
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      port: service.port,
      method,
      path,
      agent: false,
      headers: { ...headersOf(service), ...(body && !chunked && { "content-length": body.length }), ...headers },
    });
    request.on("error", reject);
    request.on("response", (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => (text += chunk.toString()));
      response.on("error", reject);
      response.on("end", () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: JSON.parse(text) });
      });
    });
    request.end(body);
  });
}

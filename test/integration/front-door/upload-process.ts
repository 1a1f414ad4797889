import { randomUUID } from "node:crypto";
import { request as httpRequest } from "node:http";
import type { UploadHosting } from "../../../lib/front-door/hosting.ts";
import { issueKey } from "../../../src/accounts/keys.ts";
import { awsRecords } from "../../../src/platform/aws/records.ts";
import { accountsOf } from "../../../src/platform/records/accounts.ts";
import { documentClient } from "../../../src/platform/aws/sdk/clients.ts";
import { type FakeAwsEndpoint, fakeAwsEndpoint } from "../../support/fake-aws/endpoint.ts";
import { type Bundle, startBundle } from "./bundle.ts";

/** The bundle of the upload server, with a key and the stand-in for AWS that it calls. */
export interface UploadServerProcess extends Bundle {
  apiKey: string;
  templateId: string;
  aws: FakeAwsEndpoint;
}

export const secrets = { new: "n".repeat(40), old: "o".repeat(40) };
const keys = { AWS_ACCESS_KEY_ID: "AKIAEXAMPLE", AWS_SECRET_ACCESS_KEY: "secret" };

export async function startUploadServer(hosting: UploadHosting): Promise<UploadServerProcess> {
  const aws = await fakeAwsEndpoint({ "arn:new": secrets.new, "arn:old": secrets.old });
  const { apiKey, templateId } = await account(aws.endpoint);
  const bundle = await startBundle(hosting, {
    AWS_REGION: "eu-central-1",
    // How each hosting provides credentials.
    ...(hosting === "fargate" ? { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${aws.endpoint}/credentials` } : keys),
    AWS_ENDPOINT_URL: aws.endpoint,
    TABLE_NAME: "table",
    BUCKET_NAME: "bucket",
    STATE_MACHINE_ARN: "arn:aws:states:eu-central-1:123456789012:stateMachine:machine",
    RETENTION_DAYS: "90",
    SECRET_PREFIX: "agent-run-service/prod/",
    ORIGIN_SECRET_ARNS: "arn:new,arn:old",
  });
  void bundle.exited.then(() => aws.close());
  return { ...bundle, apiKey, templateId, aws };
}

async function account(endpoint: string): Promise<{ apiKey: string; templateId: string }> {
  const credentials = { accessKeyId: keys.AWS_ACCESS_KEY_ID, secretAccessKey: keys.AWS_SECRET_ACCESS_KEY };
  const documents = documentClient({ region: "eu-central-1", credentials, endpoint });
  const accounts = accountsOf(awsRecords({ documents, table: "table" }));
  const [organizationId, templateId] = [randomUUID(), randomUUID()];
  await accounts.createOrganization({ id: organizationId, name: "Test", model: { provider: "demo", enabled: true } });
  await accounts.createAgent({
    id: templateId,
    organizationId,
    name: "Agent",
    instructions: "",
    tools: [],
    limits: { steps: 1, tokens: 1_000, seconds: 60 },
    status: "active",
  });
  const { key: apiKey } = await issueKey(accounts, { id: templateId, organizationId });
  documents.destroy();
  return { apiKey, templateId };
}

export interface Answer {
  status: number;
  headers: Record<string, unknown>;
  body: unknown;
}

/** The body of a create whose files have these sizes in bytes. */
export function createBody({ templateId }: UploadServerProcess, sizes: number[]): Buffer {
  const files = sizes.map((size, index) => ({
    filename: `file-${index}.bin`,
    content_base64: Buffer.alloc(size, index + 1).toString("base64"),
  }));
  return Buffer.from(JSON.stringify({ name: "large", template_id: templateId, input_text: "Read them.", files }));
}

export function headersOf({ apiKey }: UploadServerProcess): Record<string, string> {
  return { authorization: `Bearer ${apiKey}`, "content-type": "application/json", "x-origin-secret": secrets.new };
}

/** Sends one request on a new connection. `headers` override the defaults; a transfer-encoding replaces the length. */
export function send(
  service: UploadServerProcess,
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

import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { httpServer } from "../http-server.ts";
import { fakeTable } from "./table.ts";

/** AWS at an address of this machine, for processes of their own: one table, object counts, executions, secrets. */
export interface FakeAwsEndpoint {
  endpoint: string;
  /** Number and total bytes of stored objects. Their content is not kept. */
  objects: { count: number; bytes: number };
  /** Names of the started executions. */
  started: string[];
  close(): Promise<void>;
}

type Input = Record<string, unknown>;

/** `secrets`: values by id. */
export async function fakeAwsEndpoint(secrets: Record<string, string>): Promise<FakeAwsEndpoint> {
  const table = fakeTable();
  const objects = { count: 0, bytes: 0 };
  const started: string[] = [];

  const otherOperations: Record<string, (input: Input) => unknown> = {
    StartExecution: ({ name }) => {
      started.push(String(name));
      return { executionArn: `arn:${String(name)}`, startDate: Date.now() / 1000 };
    },
    GetSecretValue: ({ SecretId }) => ({ ARN: SecretId, Name: SecretId, SecretString: secrets[String(SecretId)] }),
  };

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === "PUT") {
      for await (const chunk of request) objects.bytes += (chunk as Buffer).length;
      objects.count++;
      response.setHeader("etag", '"0"').end();
      return;
    }
    if (request.url === "/credentials") {
      // As the agent of a container responds. Clients must renew them before the hour is over.
      const Expiration = new Date(Date.now() + 3_600_000).toISOString();
      response.end(JSON.stringify({ AccessKeyId: "ASIAEXAMPLE", SecretAccessKey: "s", Token: "t", Expiration }));
      return;
    }
    const operation = String(request.headers["x-amz-target"]).split(".").at(-1) ?? "";
    const input = JSON.parse((await buffer(request)).toString()) as Input;
    const { status, body } =
      operation in otherOperations
        ? { status: 200, body: otherOperations[operation]?.(input) }
        : table.perform(operation, input);
    response.writeHead(status, { "content-type": "application/x-amz-json-1.0" }).end(JSON.stringify(body));
  }

  const server = await httpServer((request, response) => {
    respond(request, response).catch((error: unknown) => {
      console.error(error);
      response.destroy();
    });
  });
  return { endpoint: server.url, objects, started, close: server.close };
}

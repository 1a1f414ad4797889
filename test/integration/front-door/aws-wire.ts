import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { httpServer } from "../../support/http-server.ts";

/** What the large-body server says to AWS, answered at one address: items are kept, objects only counted. */
export interface AwsWire {
  endpoint: string;
  /** Bytes and number of the objects that were put. */
  objects: { count: number; bytes: number };
  /** Executions that were started. */
  started: string[];
  close(): Promise<void>;
}

type Fields = Record<string, unknown>;
type Item = Record<string, { S?: string }>;

/** `secrets`: values by the names they are asked for. */
export async function awsWire(secrets: Record<string, string>): Promise<AwsWire> {
  const items = new Map<string, Item>();
  const objects = { count: 0, bytes: 0 };
  const started: string[] = [];
  const put = (item: Item): void => void items.set(keyOf(item), item);

  const answers: Record<string, (input: Fields) => unknown> = {
    PutItem: ({ Item: item }) => (put(item as Item), {}),
    GetItem: ({ Key }) => ({ Item: items.get(keyOf(Key as Item)) }),
    TransactWriteItems: ({ TransactItems }) => {
      for (const { Put } of TransactItems as { Put?: { Item: Item } }[]) if (Put) put(Put.Item);
      return {};
    },
    StartExecution: ({ name }) => {
      started.push(String(name));
      return { executionArn: `arn:${String(name)}`, startDate: Date.now() / 1000 };
    },
    GetSecretValue: ({ SecretId }) => ({ ARN: SecretId, Name: SecretId, SecretString: secrets[String(SecretId)] }),
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === "PUT") {
      for await (const chunk of request) objects.bytes += (chunk as Buffer).length;
      objects.count++;
      response.setHeader("etag", '"0"').end();
      return;
    }
    if (request.url === "/credentials") {
      // As a container's agent answers; they are to be asked for again before this hour is over.
      const Expiration = new Date(Date.now() + 3_600_000).toISOString();
      response.end(JSON.stringify({ AccessKeyId: "ASIAEXAMPLE", SecretAccessKey: "s", Token: "t", Expiration }));
      return;
    }
    const operation = String(request.headers["x-amz-target"]).split(".").at(-1) ?? "";
    const input = JSON.parse((await buffer(request)).toString()) as Fields;
    const handler = answers[operation];
    if (!handler) throw new Error(`${operation} is not answered here`);
    response.setHeader("content-type", "application/x-amz-json-1.0").end(JSON.stringify(handler(input)));
  }

  const server = await httpServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      console.error(error);
      response.destroy();
    });
  });
  return {
    endpoint: server.url,
    objects,
    started,
    close: server.close,
  };
}

function keyOf({ pk, sk }: Item): string {
  return `${pk?.S} ${sk?.S}`;
}

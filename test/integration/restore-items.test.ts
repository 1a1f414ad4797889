import { execFile } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type HttpServer, httpServer } from "../support/http-server.ts";

// The command over an export in S3 and a table, of which a server has the answers. test/deploy/upgrade.test.ts restores a whole service.

type Item = Record<string, Record<string, unknown>>;

const script = fileURLToPath(new URL("../../scripts/restore-items.ts", import.meta.url));
const itemOf = (index: number): Item => ({
  pk: { S: `RUN#${index}` },
  sk: { S: "HEAD" },
  bytes: { B: "AAEC" },
  n: { N: "1" },
});

let files: Record<string, string | Buffer>;
let table: Map<string, Item>;
/** Batches that the table does not take, but answers with their last item as unprocessed. */
let throttled: number;
let refused: boolean;
let server: HttpServer;

beforeAll(async () => {
  server = await httpServer((request, response) => {
    if (request.method === "GET") {
      const file = files[request.url?.split("?")[0] ?? ""];
      response.writeHead(file === undefined ? 404 : 200).end(file);
      return;
    }
    void text(request).then((body) => {
      const operation = String(request.headers["x-amz-target"]).split(".").at(-1);
      const { status, answer } = perform(operation, JSON.parse(body) as Record<string, unknown>);
      response.writeHead(status, { "content-type": "application/x-amz-json-1.0" }).end(JSON.stringify(answer));
    });
  });
});
afterAll(() => server.close());

function perform(operation: string | undefined, input: Record<string, unknown>): { status: number; answer: object } {
  if (refused) return { status: 400, answer: { __type: "ResourceNotFoundException", message: "no such table" } };
  if (operation === "PutItem") {
    const item = input["Item"] as Item;
    const key = String(item["pk"]?.["S"]);
    if (table.has(key))
      return { status: 400, answer: { __type: "ConditionalCheckFailedException", message: "exists" } };
    table.set(key, item);
    return { status: 200, answer: {} };
  }
  const { T: requests } = input["RequestItems"] as Record<string, { PutRequest: { Item: Item } }[]>;
  const left = throttled-- > 0 ? (requests ?? []).slice(-1) : [];
  for (const { PutRequest } of (requests ?? []).slice(0, (requests?.length ?? 0) - left.length)) {
    table.set(String(PutRequest.Item["pk"]?.["S"]), PutRequest.Item);
  }
  return { status: 200, answer: left.length > 0 ? { UnprocessedItems: { T: left } } : {} };
}

/** A file of an export. */
function lines(from: number, to: number): Buffer {
  const items = Array.from({ length: to - from }, (_, index) => itemOf(from + index));
  return gzipSync(items.map((Item) => `${JSON.stringify({ Item })}\n`).join(""));
}

beforeEach(() => {
  [table, throttled, refused] = [new Map(), 0, false];
  files = {
    "/copies/AWSDynamoDB/1/manifest-files.json": [60, 40]
      .map(
        (itemCount, index) =>
          `${JSON.stringify({ itemCount, dataFileS3Key: `AWSDynamoDB/1/data/${index}.json.gz` })}\n`,
      )
      .join(""),
    "/copies/AWSDynamoDB/1/data/0.json.gz": lines(0, 60),
    "/copies/AWSDynamoDB/1/data/1.json.gz": lines(60, 100),
  };
});

function restore(...args: string[]): Promise<{ code: unknown; output: string }> {
  const env = {
    PATH: process.env["PATH"],
    AWS_REGION: "eu-west-1",
    AWS_ACCESS_KEY_ID: "a",
    AWS_SECRET_ACCESS_KEY: "b",
    AWS_ENDPOINT_URL: server.url,
    AWS_ENDPOINT_URL_S3: server.url,
  };
  const command = [script, "--from", "s3://copies/AWSDynamoDB/1", "--to", "T", ...args];
  return new Promise((resolve) => {
    execFile(process.execPath, command, { env }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    );
  });
}

describe("restore-items from an export", () => {
  test("writes all items, also those that a busy table leaves", async () => {
    throttled = 1;
    const { code, output } = await restore("--overwrite");
    expect(output).toContain("100 items found in s3://copies/AWSDynamoDB/1; 100 written to T, 0 existing items kept");
    expect([code, table.size, table.get("RUN#99")]).toEqual([0, 100, itemOf(99)]);
  });

  test("keeps existing items, and copies one partition", async () => {
    table.set("RUN#7", { pk: { S: "RUN#7" } });
    expect((await restore("--key", "RUN#7")).output).toContain("1 items found");
    expect((await restore()).output).toContain("99 written to T, 1 existing items kept");
    expect(table.get("RUN#7")).toEqual({ pk: { S: "RUN#7" } });
  });

  test("writes texts with the line separators of Unicode, which JSON does not escape, as they are", async () => {
    const separated = "one\u2028two\u2029three\u0085four";
    const long = { ...itemOf(60), text: { S: `${separated}${"€😀".repeat(20_000)}` } }; // longer than a chunk of gunzip, 16 KiB
    const [one, two] = [long, { ...itemOf(61), text: { S: separated } }];
    const others = Array.from({ length: 38 }, (_, index) => itemOf(62 + index));
    const file = [one, two, ...others].map((Item) => JSON.stringify({ Item })).join("\n"); // without a line break at its end
    files["/copies/AWSDynamoDB/1/data/1.json.gz"] = gzipSync(file);
    const { code, output } = await restore("--overwrite");
    expect(output).toContain("100 items found");
    expect([code, table.get("RUN#60"), table.get("RUN#61"), table.get("RUN#99")]).toEqual([0, one, two, itemOf(99)]);
  });

  test("fails if a file is not what the list says, is incremental or missing, or the table refuses", async () => {
    refused = true;
    expect(await restore()).toMatchObject({ code: 1, output: expect.stringContaining("no such table") });
    refused = false;
    files["/copies/AWSDynamoDB/1/data/1.json.gz"] = gzipSync(`${JSON.stringify({ Item: itemOf(60) })}\n`);
    expect((await restore()).output).toContain("data/1.json.gz has 1 items; the export's list names 40");
    files["/copies/AWSDynamoDB/1/data/1.json.gz"] = gzipSync('{"Keys": {}, "NewImage": {}}\n');
    expect((await restore()).output).toContain("restore a full export, not an incremental one");
    delete files["/copies/AWSDynamoDB/1/data/1.json.gz"];
    const { code, output } = await restore("--dry-run");
    expect([code, output]).toEqual([1, expect.stringContaining("data/1.json.gz cannot be read")]);
  });
});

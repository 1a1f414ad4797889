import type { RequestListener } from "node:http";
import { text } from "node:stream/consumers";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { afterEach, expect, test } from "vitest";
import { httpServer } from "../support/http-server.ts";
import { StoreUnavailable } from "../../src/errors.ts";
import type { RunChange } from "../../src/runs/run-types.ts";
import type { Runs } from "../../src/runs/ports.ts";
import { type ClientSettings, tuned } from "../../src/platform/aws/sdk/clients.ts";
import { awsRuns } from "../../src/platform/aws/run-store.ts";

const region = "eu-central-1";
const change: RunChange = { runId: "R", expect: { status: "running", turn: 1 } };

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** Runs over a client of a server with this `listener`. `timeout`: of one attempt, in milliseconds. */
async function clientOf(listener: RequestListener, timeout: number): Promise<DynamoDBDocumentClient> {
  const server = await httpServer(listener);
  const credentials = { accessKeyId: "a", secretAccessKey: "s" };
  const settings: ClientSettings = { region, credentials, endpoint: server.url };
  const client = new DynamoDBClient(tuned(settings, timeout));
  closers.push(async () => client.destroy(), server.close);
  return DynamoDBDocumentClient.from(client);
}

test.each(["cut", "late"])(
  "an applied write with a %s response succeeds: the retry has the same request token",
  async (how) => {
    const applied = new Set<string>();
    let requests = 0;
    const documents = await clientOf((request, response) => {
      void text(request).then((body) => {
        requests++;
        const { ClientRequestToken: token } = JSON.parse(body) as { ClientRequestToken: string };
        response.setHeader("content-type", "application/x-amz-json-1.0");
        if (applied.has(token)) response.end("{}");
        else if (applied.size > 0) response.writeHead(400).end(JSON.stringify(conditionFailed));
        else {
          applied.add(token);
          if (how === "cut") request.socket.destroy();
        }
      });
    }, 200);
    const runs = runsOver(documents);
    expect(await runs.change(change)).toBe(true);
    expect(requests).toBe(2);
    expect(await runs.change(change)).toBe(false);
  },
);

test("a service that does not respond rejects with StoreUnavailable after three attempts", async () => {
  let requests = 0;
  const documents = await clientOf(() => void requests++, 50);
  await expect(runsOver(documents).read("R")).rejects.toThrow(StoreUnavailable);
  expect(requests).toBe(3);
});

test("an unreachable service rejects with StoreUnavailable", async () => {
  const documents = await clientOf(() => {}, 50);
  for (const close of closers.splice(1)) await close();
  await expect(runsOver(documents).read("R")).rejects.toThrow(StoreUnavailable);
});

const conditionFailed = {
  __type: "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
  CancellationReasons: [{ Code: "ConditionalCheckFailed" }],
};

function runsOver(documents: DynamoDBDocumentClient): Runs {
  return awsRuns({ documents, table: "T", objects: () => Promise.reject(new Error("no object is needed")) });
}

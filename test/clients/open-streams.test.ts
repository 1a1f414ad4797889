import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Event } from "../../clients/typescript/src/index.ts";
import { extHandlers } from "../../src/ext/handlers/ext-handlers.ts";
import { extResponseLimit } from "../../src/ext/on-lambda.ts";
import { extRouter } from "../../src/ext/router.ts";
import { newS3Client } from "../../src/platform/aws/s3/bucket.ts";
import { signedTransfers } from "../../src/platform/aws/s3/signed-transfers.ts";
import { externalWorkflow } from "../../src/platform/local/workflow.ts";
import { compression } from "../../src/http/server/lambda.ts";
import { noCompanions } from "../../src/runs/erase/companions.ts";
import { type Edge, startEdge } from "../integration/front-door/edge.ts";
import { streamedWork } from "../integration/front-door/streamed-work.ts";
import { secrets, startUploadServer, type UploadServerProcess } from "../integration/front-door/upload-process.ts";
import { type HttpServer, httpServer } from "../support/http-server.ts";
import { type Driver, drivers } from "./driver.ts";
import { apiFunction } from "../support/lambda-function.ts";

type Work = Awaited<ReturnType<typeof streamedWork>>;

/** The function of the extension API behind API Gateway, over the same table as the upload server. */
function extFunction({ stores }: Work): Promise<HttpServer> {
  const s3 = newS3Client({ region: "eu-central-1", credentials: { accessKeyId: "A", secretAccessKey: "s" } });
  const api = extRouter(
    extHandlers({
      ...stores,
      companions: noCompanions,
      workflow: externalWorkflow,
      now: Date.now,
      secretRefusal: () => undefined,
      transfers: signedTransfers(async () => s3, "bucket"),
      wait: { interval: 1_000, clientSeconds: 0 },
      limits: { inlineBytes: 2 ** 21, uploadBytes: 2 ** 20 },
    }),
    stores,
  );
  const handle = apiFunction(api, extResponseLimit, compression);
  return httpServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    void handle({
      headers: request.headers as Record<string, string>,
      rawPath: pathname,
      rawQueryString: searchParams.toString(),
      isBase64Encoded: false,
      requestContext: { requestId: "r", http: { method: request.method ?? "GET" } },
    }).then(({ statusCode = 500, headers, body }) => {
      response.writeHead(statusCode, headers as Record<string, string>).end(body);
    });
  });
}

describe.each(Object.keys(drivers))("%s, through the front door of AWS", (language) => {
  let server: UploadServerProcess;
  let driver: Driver;
  beforeAll(async () => {
    server = await startUploadServer("web-function");
    driver = await drivers[language]!();
  });
  afterAll(async () => {
    await driver[Symbol.asyncDispose]();
    server.child.kill("SIGKILL");
    await server.exited;
  });

  test("reads all events of a turn from one open stream", async () => {
    const { outcome, counts } = await readEvents("open");
    expect(outcome).toEqual(["input", "model_call", "output"]);
    expect(counts).toMatchObject({ large: 0, streams: 1, rejected: 0 });
  });

  test("reads the same without a front door, with a request for each poll", async () => {
    const { outcome, counts } = await readEvents("polled");
    expect(outcome).toEqual(["input", "model_call", "output"]);
    expect(counts).toEqual({ small: 0, large: 0, streams: 0, rejected: 0 });
  });

  async function readEvents(form: "open" | "polled"): Promise<{ outcome: string[]; counts: Edge["counts"] }> {
    const run = await streamedWork(server);
    await using small = await extFunction(run);
    const large = { baseUrl: `http://127.0.0.1:${server.port}`, secret: secrets.new };
    const edge = await startEdge({ small: { baseUrl: small.url }, large });
    const reading = driver.run({
      baseUrl: form === "open" ? edge.baseUrl : small.url,
      client: { api_key: server.apiKey },
      realTime: true,
      method: "events",
      args: [run.runId],
    });
    const working = run.work();
    (await run.nextCall()).answers({ text: "Done." });
    await working;
    const { value, error } = await reading;
    await edge.close();
    run.close();
    expect(error).toBeUndefined();
    return { outcome: (value as Event[]).map(({ type }) => type), counts: edge.counts };
  }
});

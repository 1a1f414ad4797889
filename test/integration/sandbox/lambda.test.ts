import { text } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { randomBytes } from "node:crypto";
import { SFNClient } from "@aws-sdk/client-sfn";
import { afterAll, describe, expect, it, vi } from "vitest";
import { httpServer } from "../../support/http-server.ts";
import { maxMessageBytes, encodeMessage, decodeRequest, decodeResult } from "../../../src/sandbox/codec.ts";
import { StoreUnavailable } from "../../../src/errors.ts";
import { lambdaSandbox } from "../../../src/platform/aws/sandbox.ts";
import { signedHeaders } from "../../../src/platform/aws/sdk/sign-request.ts";
import { sandbox } from "./sandbox.ts";

afterAll(() => sandbox.close());

const caller = {
  region: "us-east-1",
  credentials: { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" },
};
const neverAborts = new AbortController().signal;
const program = (source: string, files: Record<string, Uint8Array> = {}) => ({
  engine: "javascript" as const,
  program: source,
  files: Object.entries(files).map(([name, content]) => ({ name, content })),
  seconds: 5,
});

const sandboxOf = ({ endpoint }: { endpoint: string }, name?: string) =>
  lambdaSandbox({
    aws: { ...caller, endpoint },
    functionName: "sandbox",
    tenant: "agent-1",
    ...(name !== undefined && { name }),
  });

interface Answer {
  status: number;
  body: string;
}

/** A local server of Lambda's Invoke API that runs the sandbox, or returns `answer`, or the first of `answers` that is left. */
async function invokeServer(answer?: Answer, answers: Answer[] = []) {
  const paths: unknown[] = [];
  const server = await httpServer((request, response) => {
    void (async () => {
      const { request: message } = JSON.parse(await text(request)) as { request: string };
      const { authorization = "", "x-amz-tenant-id": tenant } = request.headers;
      const [scheme] = authorization.split(" ");
      const signed = /SignedHeaders=([^,]+)/.exec(authorization)?.[1]?.split(";");
      paths.push([request.method, request.url, scheme, tenant, signed?.includes("x-amz-tenant-id")]);
      const result = answers.shift() ??
        answer ?? {
          status: 200,
          body: JSON.stringify({ result: encodeMessage(await sandbox.run(decodeRequest(message), neverAborts)) }),
        };
      response.writeHead(result.status).end(result.body);
    })();
  });
  return { ...server, paths, endpoint: server.url };
}

describe("the sandbox function", () => {
  it("runs programs with files over the Invoke API", async () => {
    await using server = await invokeServer();
    const remote = sandboxOf(server);
    const request = program("writeFile('b', readFile('a') + 'ü'); readFile('a').length", {
      a: Buffer.from("x".repeat(9)),
    });
    const { written, ...result } = await remote.run(request, neverAborts);
    expect(result).toEqual({ output: "9", notes: [] });
    expect(written.map(({ name, content }) => [name, Buffer.from(content).toString()])).toEqual([["b", "xxxxxxxxxü"]]);
    expect(await remote.run(program("throw new Error('x')"), neverAborts)).toMatchObject({
      problem: "Error: x (program.js:1:11)",
    });
    expect(server.paths[0]).toEqual([
      "POST",
      "/2015-03-31/functions/sandbox/invocations",
      "AWS4-HMAC-SHA256",
      "agent-1",
      true,
    ]);
  });

  it("names files that are too large, without a call", async () => {
    await using server = await invokeServer();
    const remote = sandboxOf(server);
    const { problem } = await remote.run(program("1", { "noise.bin": randomBytes(5_000_000) }), neverAborts);
    expect(problem).toMatch(/too large for the sandbox: more than 4\.5 MB when compressed \(noise.bin\)/);
    expect(server.paths).toEqual([]);
    const table = Buffer.from(Array.from({ length: 700_000 }, (_, n) => `row ${n},${n * 7}\n`).join(""));
    expect(table.length).toBeGreaterThan(10 * 1024 * 1024);
    expect(encodeMessage(program("1", { "table.csv": table }))?.length).toBeLessThan(maxMessageBytes);
  });

  it("rejects with StoreUnavailable when Lambda is busy and reports a function that failed", async () => {
    await using busy = await invokeServer({ status: 429, body: '{"Reason":"ConcurrentInvocationLimitExceeded"}' });
    const remote = sandboxOf(busy);
    await expect(remote.run(program("1"), neverAborts)).rejects.toThrow(StoreUnavailable);
    await using gone = await invokeServer({ status: 404, body: '{"Message":"Function not found"}' });
    expect(await sandboxOf(gone).run(program("1"), neverAborts)).toMatchObject({
      problem: expect.stringContaining("404"),
    });
    await using dead = await invokeServer({ status: 200, body: '{"errorMessage":"Task timed out after 90 seconds"}' });
    expect(await sandboxOf(dead).run(program("1"), neverAborts)).toMatchObject({
      problem: "The sandbox function failed: Task timed out after 90 seconds.",
    });
  });

  it("is called again while its permission has no effect yet, and then makes the turn wait", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    vi.setTimerTickMode("nextTimerAsync");
    try {
      const message = "User: arn:aws:sts::111122223333:assumed-role/Advance is not authorized";
      const denied = { status: 403, body: JSON.stringify({ Message: message }) };
      const result = encodeMessage({ output: "2", written: [], notes: [] });
      await using soon = await invokeServer({ status: 200, body: JSON.stringify({ result }) }, [denied, denied]);
      expect(await sandboxOf(soon).run(program("1 + 1"), neverAborts)).toMatchObject({ output: "2" });
      expect(soon.paths).toHaveLength(3);
      await using never = await invokeServer(denied);
      const refused = sandboxOf(never, "documents").run(program("1"), neverAborts);
      await expect(refused).rejects.toThrow(
        new StoreUnavailable(
          "the documents function did not answer (status 403: the caller may not invoke it); try again later",
        ),
      );
      expect(never.paths).toHaveLength(4);
    } finally {
      vi.useRealTimers();
    }
  });

  it("is named in the problem of an answer without a result", async () => {
    await using empty = await invokeServer({ status: 200, body: "{}" });
    expect(await sandboxOf(empty).run(program("1"), neverAborts)).toMatchObject({
      problem: "The sandbox function failed: it gave no reason.",
    });
    expect(await sandboxOf(empty, "documents").run(program("1"), neverAborts)).toMatchObject({
      problem: "The documents function failed: it gave no reason.",
    });
  });

  it("rejects when the signal aborts", async () => {
    await using server = await invokeServer();
    const remote = sandboxOf(server);
    await expect(remote.run(program("for (;;);"), AbortSignal.timeout(100))).rejects.toThrow(/aborted|timeout/);
  });
});

describe("messages", () => {
  it("are decoded unchanged, and rejected when they are damaged", () => {
    const request = program("code", { a: Buffer.from([0, 255]), b: Buffer.alloc(0) });
    expect(decodeRequest(encodeMessage(request) ?? "")).toEqual(request);
    const result = { output: "o", problem: "p", written: request.files, notes: ["n"] };
    expect(decodeResult(encodeMessage(result) ?? "")).toEqual(result);
    const whole = gunzipSync(Buffer.from(encodeMessage(result) ?? "", "base64"));
    expect(whole.subarray(-2)).toEqual(Buffer.from([0, 255]));
    expect(() => decodeResult("AAAA")).toThrow("incorrect header check");
  });
});

describe("a signature", () => {
  it("equals that of the AWS SDK", async () => {
    const now = new Date("2026-11-21T12:00:00Z");
    const url = new URL("https://lambda.us-east-1.amazonaws.com/2015-03-31/functions/f-1/invocations");
    const [body, headers] = ['{"a":1}', { "x-amz-tenant-id": "agent-1" }];
    const withToken = { ...caller, credentials: { ...caller.credentials, sessionToken: "token" } };
    const ours = await signedHeaders({ aws: withToken, service: "lambda", method: "POST", url, body, headers }, now);
    const signer = await new SFNClient(withToken).config.signer({
      name: "sigv4",
      signingName: "lambda",
      signingRegion: "us-east-1",
      properties: {},
    });
    const unsigned = {
      method: "POST",
      protocol: url.protocol,
      hostname: url.hostname,
      path: url.pathname,
      headers: { ...headers, host: url.host, "content-type": "application/json" },
      body,
    };
    const signed = await signer.sign(unsigned, {
      signingDate: now,
      unsignableHeaders: new Set(["x-amz-content-sha256"]),
    });
    expect({ ...ours, "x-amz-content-sha256": expect.any(String) }).toEqual(signed.headers);
  });
});

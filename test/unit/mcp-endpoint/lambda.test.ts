import { expect, test } from "vitest";
import { issueKey } from "../../../src/accounts/keys.ts";
import { mcpHandler } from "../../../src/mcp/handler.ts";
import { fakeAwsStores } from "../../support/fake-aws/platform.ts";
import { apiFunction } from "../../support/lambda-function.ts";
import { putAgent } from "../../support/scripted-runs.ts";

/**
 * The endpoint as the Lambda function has it, over stores in memory, and the turns that it started. After `throttle(n)`, the
 * table answers n more calls.
 */
async function endpoint() {
  let last = Number.POSITIVE_INFINITY;
  const stores = fakeAwsStores((call) => (call > last ? "throttled" : undefined));
  await putAgent(stores);
  const { key } = await issueKey(stores.accounts, { id: "A", organizationId: "O" });
  const started: string[] = [];
  const handle = apiFunction(
    mcpHandler({
      ...stores,
      workflow: { start: async (runId) => void started.push(runId), stop: async () => {} },
      now: Date.now,
      secretRefusal: () => undefined,
      version: "1.0.0",
      maxWaitSeconds: 1,
      pollInterval: 50,
      inlineBytes: 2 * 1024 * 1024,
      retentionDays: 30,
    }),
  );
  return {
    started,
    throttle: (calls: number) => void (last = stores.calls() + calls),
    call: async (method: string, params: object, headers: Record<string, string> = {}) => {
      const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
      const response = await handle({
        headers: {
          authorization: `Bearer ${key}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          host: "api.example.com",
          "x-forwarded-proto": "https",
          ...headers,
        },
        rawPath: "/mcp",
        body: body.toString("base64"),
        isBase64Encoded: true,
        requestContext: { requestId: "R", http: { method: "POST" } },
      });
      const text = String(response.body);
      const { result = {} } = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) as {
        result?: Record<string, unknown>;
      };
      return { status: response.statusCode, headers: response.headers, text, result };
    },
  };
}

test("a Lambda function serves requests one by one, with its own bounds", async () => {
  const { call, started } = await endpoint();
  const clientInfo = { name: "test", version: "1" };
  const initialize = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  const { status, result } = await call("initialize", initialize);
  expect([status, result["instructions"]]).toEqual([200, expect.stringContaining("wait_for_run waits up to 1 s")]);
  expect(JSON.stringify(await call("tools/list", {}))).toContain("with 2 MiB in total");

  const content_base64 = Buffer.alloc(1024 * 1024).toString("base64");
  const input = { name: "Test", input_text: "Hello", files: [{ filename: "a.bin", content_base64 }] };
  const start = (await call("tools/call", { name: "start_run", arguments: input })).result;
  const { run_id } = start["structuredContent"] as { run_id: string };
  expect(started).toEqual([run_id]);
  const wait = (await call("tools/call", { name: "wait_for_run", arguments: { run_id } })).result;
  expect(wait["structuredContent"]).toMatchObject({ status: "running", steps: 0 });
  const read = (await call("tools/call", { name: "read_file", arguments: { run_id, name: "a.bin" } })).result;
  const url = `https://api.example.com/ext/v1/runs/${run_id}/files/a.bin`;
  expect(read["structuredContent"]).toEqual({ name: "a.bin", size: 1024 * 1024, url });

  const envelope = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": clientInfo,
    "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/tasks": {} } },
  };
  const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tasks/get", "mcp-name": run_id };
  const task = await call("tasks/get", { taskId: run_id, _meta: envelope }, headers);
  expect(task.result).toMatchObject({ taskId: run_id, status: "working", ttlMs: 30 * 86_400_000 });
});

test("a store that is unavailable is an error that says to repeat the call", async () => {
  const { call, throttle } = await endpoint();
  const input = { name: "Test", input_text: "Hello" };
  const start = (await call("tools/call", { name: "start_run", arguments: input })).result;
  const { run_id } = start["structuredContent"] as { run_id: string };
  throttle(1); // the key is found
  const { status, result } = await call("tools/call", { name: "get_run", arguments: { run_id } });
  const text = "The service's store is temporarily unavailable; repeat the call in a few seconds.";
  expect([status, result]).toMatchObject([200, { isError: true, content: [{ type: "text", text }] }]);
  throttle(0);
  const response = await call("tools/list", {});
  expect([response.status, response.headers?.["retry-after"]]).toEqual([503, "5"]);
  expect(JSON.parse(response.text)).toMatchObject({ id: null, error: { message: text } });
});

import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { setKeyEnabled, createKey } from "../../../src/accounts/keys.ts";
import { logging } from "../../../src/log.ts";
import { callTool, connectClient } from "../../support/mcp-clients.ts";
import { manageService, type ManageService } from "../../support/manage-service.ts";
import { keyOfOtherAgent } from "../../support/other-agent.ts";

let service: ManageService;
beforeAll(async () => {
  service = await manageService();
});
afterAll(() => service[Symbol.asyncDispose]());
afterEach(() => vi.restoreAllMocks());

const accepted = { accept: "application/json, text/event-stream", "content-type": "application/json" };

interface Sent {
  method?: string;
  key?: string | null;
  headers?: Record<string, string>;
  body?: string;
  signal?: AbortSignal;
}

/** Sends a request of the protocol version 2025-11-25. */
async function send({ method = "POST", key = service.apiKey, headers = {}, body = "", signal }: Sent = {}) {
  const response = await fetch(`${service.baseUrl}/mcp`, {
    method,
    headers: {
      ...accepted,
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...headers,
    },
    ...(method === "POST" && { body }),
    ...(signal && { signal }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text };
}

const request = (method: string, params: object = {}): string =>
  JSON.stringify({ jsonrpc: "2.0", id: 7, method, params });
const toolCall = (name: string, input: object): string => request("tools/call", { name, arguments: input });
const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
const held = "wait\ndemo: steps=1 delay=10000";

/** The message of a response, which is JSON or one event. */
function messageOf(text: string): Record<string, unknown> & { error?: { code: number; message: string } } {
  const data = /^data: (.*)$/m.exec(text)?.[1] ?? text;
  return JSON.parse(data) as Record<string, unknown>;
}

describe("a request without a valid key", () => {
  test.each<[string, () => Promise<string | null>]>([
    ["no key", async () => null],
    ["an unknown key", async () => "ak_0000000000000000000000000000000000000000000"],
    ["a malformed key", async () => "secret"],
    ["an operator's token", async () => service.operatorToken],
    [
      "a disabled key",
      async () => {
        const { key } = await createKey(service.platform.accounts, service.templateId);
        await setKeyEnabled(service.platform.accounts, key, false);
        return key;
      },
    ],
  ])("gets 401 and how to authenticate: %s", async (_, key) => {
    const { status, headers, text } = await send({ key: await key(), body: request("tools/list") });
    expect([status, headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    expect(headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    expect(messageOf(text)).toMatchObject({
      jsonrpc: "2.0",
      id: null,
      error: { message: /^(Missing|Invalid) API key$/ },
    });
  });
});

test.each(["GET", "DELETE", "PUT"])("%s gets 405: there are no sessions", async (method) => {
  const { status, headers } = await send({ method });
  expect([status, headers.get("allow")]).toEqual([405, "POST"]);
});

test("a page of another site, and another name of this machine, are refused", async () => {
  const body = request("tools/list");
  expect((await send({ body, headers: { origin: "https://evil.example" } })).status).toBe(403);
  expect((await send({ body, headers: { origin: service.baseUrl } })).status).toBe(200);
});

describe("wrong JSON-RPC", () => {
  test.each<[string, string, number, number]>([
    ["no body", "", 400, -32_700],
    ["no JSON", "{", 400, -32_700],
    ["a number", "1", 400, -32_600],
    ["null", "null", 400, -32_600],
    ["a batch", `[${request("tools/list")}]`, 400, -32_600],
    ["an object that is no message", '{"a":1}', 400, -32_600],
    ["another version", '{"jsonrpc":"1.0","id":1,"method":"tools/list"}', 400, -32_600],
    ["1,000 levels of nesting", `{"a":${"[".repeat(1_000)}${"]".repeat(1_000)}}`, 400, -32_700],
    ["an unknown method", request("tools/destroy"), 200, -32_601],
    ["an unknown tool", toolCall("delete_run", {}), 200, -32_602],
    ["a tool's name from a prototype", toolCall("constructor", {}), 200, -32_602],
    ["a tool without a name", request("tools/call", {}), 200, -32_602],
  ])("gets an error: %s", async (_, body, expectedStatus, code) => {
    const { status, text } = await send({ body });
    expect([status, messageOf(text).error?.code]).toEqual([expectedStatus, code]);
  });

  test("gets an error: another content type", async () => {
    const { status, text } = await send({ body: request("tools/list"), headers: { "content-type": "text/plain" } });
    expect([status, messageOf(text).error?.message]).toEqual([
      400,
      expect.stringContaining("send the body with Content-Type: application/json"),
    ]);
  });

  test("subscriptions are refused: nothing would ever be sent", async () => {
    const meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "subscriptions/listen" };
    const body = request("subscriptions/listen", { notifications: {}, _meta: meta });
    expect(messageOf((await send({ headers, body })).text).error?.message).toContain("Subscription limit");
  });
});

describe("large requests", () => {
  test("a start with 9 MiB of files is accepted", async () => {
    const content_base64 = Buffer.alloc(9 * 1024 * 1024).toString("base64");
    const input = { name: "Large", input_text: "Hello", files: [{ filename: "zero.bin", content_base64 }] };
    const { status, text } = await send({ body: toolCall("start_run", input) });
    expect([status, text]).toEqual([200, expect.stringContaining("is running")]);
  });

  test("over 10 MiB of files, the tool's error names the way for larger files", async () => {
    const content_base64 = Buffer.alloc(11 * 1024 * 1024).toString("base64");
    const input = { name: "Large", input_text: "Hello", files: [{ filename: "zero.bin", content_base64 }] };
    const { status, text } = await send({ body: toolCall("start_run", input) });
    expect([status, text]).toEqual([200, expect.stringContaining("total file size exceeds the allowed limit. Upload")]);
  });

  test("over 20 MiB, the error names the way for larger files", async () => {
    const { status, text } = await send({ body: toolCall("start_run", { input_text: "x".repeat(21 * 1024 * 1024) }) });
    expect([status, messageOf(text).error?.message]).toEqual([413, expect.stringContaining("POST /ext/v1/uploads")]);
  });

  test("other tools than those that take texts accept 64 KiB", async () => {
    const { status, text } = await send({ body: toolCall("wait_for_run", { run_id: "x".repeat(70_000) }) });
    expect([status, messageOf(text).error?.message]).toEqual([
      413,
      expect.stringContaining("only start_run, send_input, and answer_call accept more than 65536 characters"),
    ]);
  });
});

test("runs of another agent look like unknown ones to every tool, and stay as they are", async () => {
  const mine = await connectClient(service, "legacy");
  const { structured } = await callTool(mine, "start_run", { name: "Mine", input_text: held });
  const run_id = String(structured["run_id"]);
  const apiKey = await keyOfOtherAgent(service.platform.accounts, service.templateId);
  const other = await connectClient({ baseUrl: service.baseUrl, apiKey }, "legacy");
  for (const [tool, more] of [
    ["wait_for_run", {}],
    ["get_run", {}],
    ["send_input", { input_text: "x" }],
    ["stop_run", {}],
    ["list_files", {}],
    ["read_file", { name: "x" }],
  ] as const) {
    const texts = [];
    for (const id of [run_id, "00000000-0000-4000-8000-000000000000"]) {
      const { isError, text } = await callTool(other, tool, { run_id: id, ...more });
      expect([tool, isError]).toEqual([tool, true]);
      texts.push(text.replace(id, "ID"));
    }
    expect(texts).toEqual(Array.from({ length: 2 }, () => 'run "ID" does not exist'));
  }
  const { run, transcript } = (await service.platform.runs.read(run_id)) ?? {};
  expect([run?.status, run?.queued, transcript?.length]).toEqual(["running", undefined, 1]);
  await callTool(mine, "stop_run", { run_id });
  await Promise.all([mine.close(), other.close()]);
});

test("100 waits whose clients leave end at once, and leave no timers", async () => {
  const started = messageOf((await send({ body: toolCall("start_run", { name: "Held", input_text: held }) })).text);
  const run_id = (started["result"] as { structuredContent: { run_id: string } }).structuredContent.run_id;
  const before = timers();
  const leave = new AbortController();
  const waits = Array.from({ length: 100 }, () =>
    send({ body: toolCall("wait_for_run", { run_id }), signal: leave.signal }),
  );
  await expect.poll(timers).toBeGreaterThanOrEqual(before + 100);
  leave.abort();
  const results = await Promise.allSettled(waits);
  expect(results.filter(({ status }) => status === "rejected")).toHaveLength(100);
  await expect.poll(timers).toBeLessThan(before + 10);
  await send({ body: toolCall("stop_run", { run_id }) });
});

test("a server that closes answers open waits with the run as it is", async () => {
  const other = await manageService();
  const client = await connectClient(other, "legacy");
  const { structured } = await callTool(client, "start_run", { name: "Held", input_text: held });
  const { run_id } = structured;
  const waiting = fetch(`${other.baseUrl}/mcp`, {
    method: "POST",
    headers: { ...accepted, authorization: `Bearer ${other.apiKey}` },
    body: toolCall("wait_for_run", { run_id }),
  });
  await callTool(client, "get_run", { run_id });
  await other[Symbol.asyncDispose]();
  const response = await waiting;
  expect(messageOf(await response.text())).toMatchObject({ result: { structuredContent: { status: "running" } } });
  expect(response.headers.get("connection")).toBe("close"); // a connection that is kept would keep the server open
});

test("the log has ids, and no texts, arguments or keys", async () => {
  const lines: string[] = [];
  vi.spyOn(process.stderr, "write").mockImplementation((line) => lines.push(String(line)) > 0);
  logging.level = "info";
  try {
    const files = [{ filename: "canary-name.txt", text: "canary-file" }];
    await send({ body: toolCall("start_run", { name: "canary-title", input_text: "canary-input", files }) });
    await send({ body: toolCall("read_file", { run_id: "canary-id", name: "canary-name" }) });
    await send({ body: toolCall("canary-tool", {}) });
    await send({ body: '{"canary' });
    await send({ key: "canary-key", body: request("canary-method") });
  } finally {
    logging.level = "off";
  }
  expect(lines.join("")).toMatch(/"message":"run created","requestId":"[0-9a-f-]{36}","runId":"[0-9a-f-]{36}"/);
  expect(lines.join("")).not.toContain("canary");
  expect(lines.join("")).not.toContain(service.apiKey);
});

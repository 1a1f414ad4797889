import { createHash, randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { callTool, connectClient } from "../support/mcp-clients.ts";
import { type Agent, type Deployed, openDeployed } from "./deployed.ts";

let deployed: Deployed;
let agent: Agent;
beforeAll(async () => {
  deployed = await openDeployed();
  agent = await deployed.newAgent("--provider", "demo");
});
afterAll(() => deployed.close());

/** Sends a request to the extension API with the agent's key. */
function ext(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${deployed.baseUrl}/ext/v1${path}`, {
    method,
    redirect: "manual",
    headers: { authorization: `Bearer ${agent.key}`, "content-type": "application/json", ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
}

interface Upload {
  upload_id: string;
  url: string;
  headers: Record<string, string>;
}

async function announced(filename: string, content: Uint8Array): Promise<Upload> {
  const sha256 = createHash("sha256").update(content).digest("hex");
  const response = await ext("POST", "/uploads", { filename, size: content.length, sha256 });
  expect(response.status).toBe(201);
  return (await response.json()) as Upload;
}

/** Sends a content to the bucket. */
async function put(upload: Upload, content: Uint8Array): Promise<number> {
  const { "content-length": _, ...headers } = upload.headers; // `fetch` sets it
  const { status } = await fetch(upload.url, { method: "PUT", headers, body: new Uint8Array(content) });
  return status;
}

test("a file of more than 10 MiB reaches a run through the bucket, and comes back by a redirect", async () => {
  const content = randomBytes(11 * 1024 * 1024);
  const upload = await announced("large.bin", content);
  expect(await put(upload, content)).toBe(200);
  const created = await ext("POST", "/runs", { name: "large", input_text: "Hello?", uploads: [upload.upload_id] });
  const { id } = (await created.json()) as { id: string };
  expect((await agent.api.ended(id)).loop_status).toBe("finished");

  const redirect = await ext("GET", `/runs/${id}/files/large.bin`);
  expect(redirect.status).toBe(307);
  const file = await fetch(redirect.headers.get("location") ?? ""); // without the key
  expect(file.headers.get("content-disposition")).toContain("attachment");
  expect(Buffer.from(await file.arrayBuffer()).equals(content)).toBe(true);
});

test("the bucket refuses other bytes than those that were announced", async () => {
  const content = randomBytes(1_000);
  const upload = await announced("announced.bin", content);
  expect(await put(upload, randomBytes(1_000))).toBe(400);
  expect(await put(upload, content.subarray(1))).toBe(403);
  const created = await ext("POST", "/runs", { name: "no content", uploads: [upload.upload_id] });
  expect([created.status, await created.json()]).toMatchObject([422, { code: "upload_incomplete" }]);
});

test("an event stream ends by itself, and continues after the last event that the client has", async () => {
  const created = await ext("POST", "/runs", { name: "events", input_text: "Hello?" }, { "idempotency-key": "one" });
  const { id } = (await created.json()) as { id: string };
  await agent.api.ended(id);
  const stream = await ext("GET", `/runs/${id}/events`, undefined, {
    accept: "text/event-stream",
    "last-event-id": "1",
  });
  const text = await stream.text();
  expect(text).toMatch(/^retry: \d+\n/);
  const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, number]) => Number(number));
  expect(ids).toEqual(ids.map((_, index) => index + 2));
  expect(ids.length).toBeGreaterThan(1);
  expect(text).toContain('event: end\ndata: {"status":"finished"}');
});

test.each(["legacy", "auto"] as const)(
  "an MCP client (%s) starts a run, waits for it and reads a file",
  async (mode) => {
    const client = await connectClient({ baseUrl: deployed.baseUrl, apiKey: agent.key }, mode);
    const files = [{ filename: "note.txt", text: "Hello from a file." }];
    const { structured } = await callTool(client, "start_run", {
      name: "mcp",
      input_text: "What is in the file?",
      files,
    });
    const run_id = String(structured["run_id"]);
    const ended = await callTool(client, "wait_for_run", { run_id });
    expect(ended.structured).toMatchObject({ status: "finished" });
    const read = await callTool(client, "read_file", { run_id, name: "note.txt" });
    expect(read.text).toContain("Hello from a file.");
    await client.close();
  },
);

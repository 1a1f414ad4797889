import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { createAgent } from "../../../src/accounts/agents/agents.ts";
import { deleteAgent } from "../../../src/accounts/agents/delete-agent.ts";
import { createKey, setKeyEnabled } from "../../../src/accounts/keys.ts";
import { createOperator, revokeOperator } from "../../../src/accounts/operators.ts";
import type { ModelConfiguration } from "../../../src/agent/model.ts";
import { sha256Of } from "../../../src/agent/turn/files/manifest.ts";
import { type HttpServer, httpServer } from "../../support/http-server.ts";
import { type LocalService, localService } from "../../support/local-service.ts";
import { callTool, connectClient, sendRpc } from "../../support/mcp-clients.ts";

/** Larger than what the buffers of a connection hold. */
const large = Buffer.alloc(24 * 1024 * 1024, 7);

/** An organization's model at this server. */
function modelAt({ url }: HttpServer): ModelConfiguration {
  return { provider: "openai-compatible", enabled: true, baseUrl: `${url}/v1`, model: "silent" };
}

test(
  "what a credential has begun ends with it: streams, waits, transfers and bodies",
  { timeout: 30_000 },
  async () => {
    await using silent = await httpServer(() => {}); // a model that never answers
    await using service = await localService({
      model: modelAt(silent),
    });
    const { baseUrl, templateId, platform } = service;
    const { key, stored } = await createKey(platform.accounts, templateId);
    const operator = await createOperator(platform.accounts, { name: "mira", role: "operator" });

    const send = (method: string, path: string, body?: string | Buffer, token = key): Promise<Response> => {
      const type = typeof body === "string" ? "application/json" : "application/octet-stream";
      const headers = { authorization: `Bearer ${token}`, "content-type": type, accept: "text/event-stream, */*" };
      return fetch(baseUrl + path, { method, headers, ...(body !== undefined && { body }) });
    };
    const announce = async (name: string): Promise<string> => {
      const body = JSON.stringify({ filename: name, size: large.length, sha256: sha256Of(large) });
      return ((await (await send("POST", "/ext/v1/uploads", body)).json()) as { upload_id: string }).upload_id;
    };
    const sent = await announce("large.bin");
    expect((await send("PUT", `/ext/v1/uploads/${sent}`, large)).status).toBe(204);
    const create = JSON.stringify({ name: "r", input_text: "Wait.", uploads: [sent] });
    const { id } = (await (await send("POST", "/ext/v1/runs", create)).json()) as { id: string };
    const long = JSON.stringify({ name: "r", template_id: templateId, input_text: "x".repeat(18_000_000) });
    const { agent_id } = (await (await send("POST", "/v1/agents", long)).json()) as { agent_id: string };

    /** A request of which the first part is sent. Returns a function that sends the rest. */
    const begin = (method: string, path: string, first: string | Buffer, length: number) => {
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", "content-length": length };
      const outgoing = httpRequest(baseUrl + path, { method, headers });
      outgoing.on("error", () => {}); // the service may close the connection before it has read all
      outgoing.write(first);
      return async (rest: string | Buffer): Promise<unknown[]> => {
        const answered = once(outgoing, "response");
        outgoing.end(rest);
        const [response] = (await answered) as [import("node:http").IncomingMessage];
        return [response.statusCode, JSON.parse(await text(response))];
      };
    };
    const cut = await announce("cut.bin");
    const finishUpload = begin("PUT", `/ext/v1/uploads/${cut}`, large.subarray(0, 100_000), large.length);
    const input = JSON.stringify({ input_text: "x".repeat(100_000) });
    const finishInput = begin("POST", `/ext/v1/runs/${id}/input`, input.slice(0, 50_000), input.length);
    const publicBody = JSON.stringify({ name: "r", template_id: templateId });
    const finishCreate = begin("POST", "/v1/agents", publicBody.slice(0, 10), publicBody.length);

    const download = (await send("GET", `/ext/v1/runs/${id}/files/large.bin`)).body?.getReader();
    await download?.read();
    const transcript = (await send("GET", `/v1/agents/${agent_id}`)).body?.getReader();
    await transcript?.read();
    const programStream = await send("GET", `/ext/v1/runs/${id}/events`);
    const operatorStream = await send("GET", `/manage/v1/runs/${id}/events`, undefined, operator.token);
    expect([programStream.status, operatorStream.status]).toEqual([200, 200]);
    const mcp = { baseUrl, apiKey: key };
    await sendRpc(mcp, "tools/list", {}); // the first request loads the endpoint
    const waiting = sendRpc(mcp, "tools/call", { name: "wait_for_run", arguments: { run_id: id } });
    await send("GET", "/ext/v1/agent"); // after it, the service has the requests before it

    await setKeyEnabled(platform.accounts, stored.hash, false);
    await revokeOperator(platform.accounts, operator.stored.id);

    expect(await programStream.text()).not.toContain("event: end");
    expect(await operatorStream.text()).toContain("event: run");
    expect(await waiting).toMatchObject({ result: { isError: true, content: [{ text: "Invalid API key" }] } });
    const refused = { detail: "Invalid API key", code: "key_invalid" };
    expect(await finishUpload(large.subarray(100_000))).toEqual([401, refused]);
    expect(await finishInput(input.slice(50_000))).toEqual([401, refused]);
    expect(await finishCreate(publicBody.slice(10))).toEqual([401, { detail: "Invalid API key" }]);
    for (const reader of [download, transcript]) {
      const rest = async (): Promise<void> => {
        while (!(await reader?.read())?.done);
      };
      await expect(rest()).rejects.toThrow("terminated");
    }
    expect(await platform.runs.head(id)).not.toHaveProperty("queued");
  },
);

test(
  "a stream ends with its agent, also while its key sends as many requests as it may",
  { timeout: 20_000 },
  async () => {
    await using silent = await httpServer(() => {});
    await using service = await localService({
      model: modelAt(silent),
      requestsPerKey: 2,
    });
    const { baseUrl, templateId, platform } = service;
    const { key, other } = await keyOfTwo(service);
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const body = JSON.stringify({ name: "r", template_id: other, input_text: "Wait." });
    const created = await fetch(`${baseUrl}/ext/v1/runs`, { method: "POST", headers, body });
    const { id } = (await created.json()) as { id: string };
    const path = `${baseUrl}/ext/v1/runs/${id}/events`;
    const stream = await fetch(path, { headers: { ...headers, accept: "text/event-stream" } });
    const over = new AbortController();
    const ended = stream.text().finally(() => over.abort());
    const statuses = new Set<number>();
    const busy = async (): Promise<void> => {
      while (!over.signal.aborted)
        statuses.add((await fetch(`${baseUrl}/ext/v1/agent?agent=${templateId}`, { headers })).status);
    };
    const sending = busy();
    await deleteAgent(platform.accounts, other);
    expect(await ended).not.toContain("event: end");
    await sending;
    expect(statuses).toContain(429);
  },
);

/** A key of the service's agent and of a further one. */
async function keyOfTwo({ templateId, platform: { accounts } }: LocalService): Promise<{ key: string; other: string }> {
  const { organizationId = "" } = (await accounts.findAgent(templateId)) ?? {};
  const limits = { steps: 1, tokens: 1_000, seconds: 60 };
  const { id } = await createAgent(accounts, organizationId, { name: "B", instructions: "", tools: [], limits });
  return { key: (await createKey(accounts, templateId, { moreAgents: [id] })).key, other: id };
}

test(
  "what a key of several agents has begun for one of them ends when that is deleted",
  { timeout: 30_000 },
  async () => {
    await using silent = await httpServer(() => {});
    await using service = await localService({
      model: modelAt(silent),
    });
    const { baseUrl, templateId, platform } = service;
    const { accounts } = platform;
    const { key, other } = await keyOfTwo(service);
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const begin = async (template_id: string) => {
      const body = JSON.stringify({ name: "r", template_id, input_text: "Wait." });
      const created = await fetch(`${baseUrl}/ext/v1/runs`, { method: "POST", headers, body });
      const { id } = (await created.json()) as { id: string };
      const path = `${baseUrl}/ext/v1/runs/${id}`;
      const stream = await fetch(`${path}/events`, { headers: { ...headers, accept: "text/event-stream" } });
      expect(stream.status).toBe(200);
      const client = await connectClient({ baseUrl, apiKey: key }, "auto", `?agent=${template_id}`);
      const called = callTool(client, "wait_for_run", { run_id: id });
      return { id, stream, called, waiting: fetch(`${path}?wait=8`, { headers }) };
    };
    const [kept, ended] = [await begin(templateId), await begin(other)];
    await fetch(`${baseUrl}/ext/v1/agent`, { headers }); // after it, the service has the requests before it
    await deleteAgent(accounts, other);

    expect(await ended.stream.text()).not.toContain("event: end");
    const refused = await ended.waiting;
    expect([refused.status, await refused.json()]).toMatchObject([404, { code: "run_not_found" }]);
    expect(await ended.called).toMatchObject({ isError: true, text: "Agent template not found" });
    const answered = await kept.waiting;
    expect([answered.status, await answered.json()]).toMatchObject([200, { id: kept.id, status: "running" }]);
  },
);

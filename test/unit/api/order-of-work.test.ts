import { randomUUID } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { newToken } from "../../../src/accounts/token.ts";
import { type ExtService, extService } from "../../support/ext-service.ts";

let service: ExtService;
let runId: string;
beforeAll(async () => {
  service = await extService();
  const created = await service.call<{ id: string }>("POST", "/runs", { body: { name: "n" } });
  runId = created.body.id;
  return () => service[Symbol.asyncDispose]();
});

/** A table that cannot be read until disposal. */
function hidden(table: string): Disposable {
  const { db } = service.platform.database;
  db.exec(`ALTER TABLE ${table} RENAME TO hidden_${table}`);
  return { [Symbol.dispose]: () => db.exec(`ALTER TABLE hidden_${table} RENAME TO ${table}`) };
}

/** Statuses of reads of a run with a key: v1, the extension API and its records, and the tool of the MCP endpoint. */
async function statuses(key: string | undefined, id: string): Promise<(number | string)[]> {
  const headers = { "content-type": "application/json", ...(key !== undefined && { "x-api-key": key }) };
  const gets = ["/v1/agents/ID", "/ext/v1/runs/ID", "/ext/v1/runs/ID/events", "/ext/v1/runs/ID/files"].map(
    async (path) => (await fetch(`${service.baseUrl}${path.replace("ID", id)}`, { headers })).status,
  );
  const call = { name: "get_run", arguments: { run_id: id } };
  const response = await fetch(`${service.baseUrl}/mcp`, {
    method: "POST",
    headers: { ...headers, accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: call }),
  });
  const text = await response.text();
  return [
    ...(await Promise.all(gets)),
    response.ok ? (/does not exist/.exec(text)?.[0] ?? "answered") : response.status,
  ];
}

test("a request without a valid key reads nothing about runs", async () => {
  using _runs = hidden("runs");
  for (const key of [undefined, "ak_malformed", newToken("ak").token]) {
    for (const id of [runId, randomUUID()]) expect(await statuses(key, id)).toEqual([401, 401, 401, 401, 401]);
  }
  const [own] = await statuses(service.apiKey, runId);
  expect(own).toBe(502);
});

test("a request with another agent's key reads neither transcript nor journal", async () => {
  using _messages = hidden("messages");
  using _journal = hidden("journal");
  for (const id of [runId, randomUUID()]) {
    expect(await statuses(service.stranger.apiKey, id)).toEqual([404, 404, 404, 404, "does not exist"]);
  }
  const [own] = await statuses(service.apiKey, runId);
  expect(own).toBe(502);
});

test("the owner reads all of it", async () => {
  expect(await statuses(service.apiKey, runId)).toEqual([200, 200, 200, 200, "answered"]);
});

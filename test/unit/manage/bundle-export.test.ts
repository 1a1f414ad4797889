import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempDisposableSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAgent } from "../../../src/accounts/agents/agents.ts";
import { setWebhook } from "../../../src/accounts/webhooks.ts";
import type { Schemas } from "../../../src/manage/schema-types.ts";
import { chatServer, scripted } from "../../providers/chat-completions-server.ts";
import { type ManageService, manageService } from "../../support/manage-service.ts";
import { readBundle } from "../../support/read-bundle.ts";
import { mcpServer } from "../mcp/mcp-server.ts";

const modelKey = "sk-marker-of-the-model-key";
const mcpToken = "marker-of-the-mcp-header";
let model: Awaited<ReturnType<typeof chatServer>>;
let mcp: Awaited<ReturnType<typeof mcpServer>>;
let service: ManageService;
let runId: string;
let webhookSecret: string;
let runToken: string;

/** Draws with an MCP tool, writes a file, and answers. */
const works = scripted(({ input, results }) => {
  if (input.startsWith("Wait")) return { calls: [["find_order", { id: "1" }]] };
  if (results.length === 0) return { calls: [["test__add", { b: 2, a: 1 }]] };
  if (results.length === 1) return { calls: [["write_file", { name: "sum.txt", content: results[0] ?? "" }]] };
  return { text: "Added." };
});

beforeAll(async () => {
  mcp = await mcpServer();
  model = await chatServer(...Array.from({ length: 40 }, () => works));
  process.env["BUNDLE_MODEL_KEY"] = modelKey;
  process.env["BUNDLE_MCP_TOKEN"] = mcpToken;
  service = await manageService({
    model: {
      provider: "openai-compatible",
      enabled: true,
      baseUrl: model.baseUrl,
      model: "m",
      secret: "env:BUNDLE_MODEL_KEY",
    },
    allowedSecrets: [{ secret: "env:BUNDLE_MODEL_KEY" }, { secret: "env:BUNDLE_MCP_TOKEN" }],
  });
  const { accounts } = service.platform;
  const { organizationId = "" } = (await accounts.findAgent(service.templateId)) ?? {};
  const { id: agentId } = await createAgent(accounts, organizationId, {
    name: "Adder",
    instructions: "Add.",
    tools: ["list_files", "read_file", "write_file"],
    mcp: [
      {
        name: "test",
        url: mcp.url,
        headers: { Authorization: { secret: "env:BUNDLE_MCP_TOKEN", prefix: "Bearer " } },
      },
    ],
    clientTools: [{ name: "find_order", description: "Finds an order.", input: { type: "object" } }],
    limits: { steps: 9, tokens: 1e6, seconds: 60 },
  });
  const rules = { url: "https://example.com/hook-marker", privateAddresses: false, enabled: false };
  ({ secret: webhookSecret = "" } = await setWebhook(accounts, agentId, rules));
  runId = await started(agentId, "One and two");
  await until(runId, (state) => state === "finished");
  const token = await service.call<{ token: string }>("POST", `/runs/${runId}/tokens`);
  runToken = token.body.token;
});

afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
  await mcp[Symbol.asyncDispose]();
});

async function started(agentId: string, input: string): Promise<string> {
  const files = [{ filename: "in put.txt", content_base64: Buffer.from("sent").toString("base64") }];
  const body = { agent_id: agentId, name: "Sums", input_text: input, files };
  return (await service.call<Schemas["CreatedRun"]>("POST", "/runs", { body })).body.id;
}

async function until(id: string, isReached: (state: string) => boolean): Promise<void> {
  for (;;) {
    const { body } = await service.call<Schemas["RunDetail"]>("GET", `/runs/${id}`);
    if (isReached(body.state)) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function exported(id: string): Promise<{ bytes: Buffer; headers: Headers }> {
  const response = await fetch(`${service.baseUrl}/manage/v1/runs/${id}/export`, {
    headers: { authorization: `Bearer ${service.viewerToken}` },
  });
  expect(response.status).toBe(200);
  return { bytes: Buffer.from(await response.arrayBuffer()), headers: response.headers };
}

const sha256 = (content: Uint8Array): string => createHash("sha256").update(content).digest("hex");

test("a run is exported as a ZIP archive with all of its record, and a manifest with the hash of each file", async () => {
  const { bytes, headers } = await exported(runId);
  expect(headers.get("content-type")).toBe("application/zip");
  expect(headers.get("content-disposition")).toContain(`run-${runId}.zip`);
  const members = await readBundle(bytes);
  const manifest = JSON.parse(String(members.at(-1)?.content)) as Record<string, unknown>;
  expect(manifest).toEqual({
    format: "agent-run-service/run-bundle",
    version: 1,
    files: members.slice(0, -1).map(({ name, content }) => ({ name, bytes: content.length, sha256: sha256(content) })),
  });
  const names = members.map(({ name }) => name);
  expect(names.slice(0, 2)).toEqual(["run.json", "events-000001.ndjson"]);
  for (const text of ["sent", "3"]) expect(names).toContain(`contents/${sha256(Buffer.from(text))}`);
  expect(names.filter((name) => name.startsWith("configurations/"))).toHaveLength(1);
  const events = String(members[1]?.content).trim().split("\n");
  expect(events.map((line) => (JSON.parse(line) as { sequence: number }).sequence)).toEqual(
    events.map((_, index) => index + 1),
  );
  // The model's order of arguments is kept.
  expect(events.join("")).toContain('{"b":2,"a":1}');
  expect(new Set(members.map(({ method, time }) => `${method} ${time.getFullYear()}`))).toEqual(new Set(["0 1980"]));
});

test("the same run makes the same bytes", async () => {
  const [one, other] = [await exported(runId), await exported(runId)];
  expect(one.bytes.equals(other.bytes)).toBe(true);
});

test("other programs read the archive", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "bundle-"));
  const file = join(folder.path, "run.zip");
  writeFileSync(file, (await exported(runId)).bytes);
  const script =
    "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; z.extractall(sys.argv[2])";
  execFileSync("python3", ["-c", script, file, folder.path]);
  expect(readFileSync(join(folder.path, "contents", sha256(Buffer.from("sent"))), "utf8")).toBe("sent");
});

test("a bundle has references to secrets and no secret, and nothing of who used the service", async () => {
  const { bytes } = await exported(runId);
  expect(mcp.requests.some((headers) => JSON.stringify(headers).includes(mcpToken))).toBe(true);
  const hidden = {
    modelKey,
    mcpToken,
    webhookSecret,
    runToken,
    apiKey: service.apiKey,
    operatorToken: service.operatorToken,
    webhookUrl: "hook-marker",
    operator: "ao_",
    hashOfKey: sha256(Buffer.from(service.apiKey)),
    hashOfRunToken: sha256(Buffer.from(runToken)),
  };
  for (const [name, secret] of Object.entries(hidden)) {
    expect(secret.length).toBeGreaterThan(2);
    expect([name, bytes.includes(secret)]).toEqual([name, false]);
  }
  for (const reference of ["env:BUNDLE_MODEL_KEY", "env:BUNDLE_MCP_TOKEN"])
    expect(bytes.includes(reference)).toBe(true);
});

test("a run in progress and a deleted run are refused", async () => {
  const { body: run } = await service.call<Schemas["Run"]>("GET", `/runs/${runId}`);
  const id = await started(run.agent_id, "Wait");
  await until(id, (state) => state === "waiting");
  const open = await service.call<{ detail: string }>("GET", `/runs/${id}/export`);
  expect([open.status, open.body.detail]).toEqual([422, expect.stringContaining("has a turn in progress")]);
  expect((await service.call("DELETE", `/runs/${id}`)).status).toBe(204);
  const deleted = await service.call<{ detail: string }>("GET", `/runs/${id}/export`);
  expect([deleted.status, deleted.body.detail]).toEqual([409, expect.stringContaining("was deleted")]);
});

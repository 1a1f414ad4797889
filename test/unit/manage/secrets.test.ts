import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Schemas } from "../../../src/manage/call.ts";
import { httpServer } from "../../support/http-server.ts";
import { type ManageService, manageService } from "../../support/manage-service.ts";

// Keys that operators enter, and the list of models that a key opens.

let service: ManageService;
beforeAll(async () => {
  service = await manageService();
});
afterAll(() => service[Symbol.asyncDispose]());

const key = "sk-entered-0123456789";

async function newOrganization(name: string): Promise<string> {
  return (await service.call<Schemas["Organization"]>("POST", "/organizations", { body: { name } })).body.id;
}

const store = (id: string, body: object, name = "model-key") =>
  service.call<Schemas["StoredSecret"]>("PUT", `/organizations/${id}/secrets/${name}`, { body });

const list = (id: string, body: object) =>
  service.call<Schemas["ModelList"]>("POST", `/organizations/${id}/model/list`, { body });

test("a stored key opens the list of models, is in no answer, and is deleted with its organization", async () => {
  const names = ["b-model", "a-model", "a-model", "", 7, "x".repeat(201)];
  await using server = await httpServer((request, response) => {
    const isKnown = request.headers.authorization === `Bearer ${key}`;
    response.writeHead(isKnown ? 200 : 401, { "content-type": "application/json" });
    const data = names.map((name) => ({ id: name }));
    response.end(
      JSON.stringify(isKnown ? { data } : { error: { message: `Wrong key: ${request.headers.authorization}` } }),
    );
  });
  const id = await newOrganization("Keys");
  const { host } = new URL(server.url);
  const stored = await store(id, { value: key, hosts: [host] });
  expect([stored.status, stored.body]).toEqual([200, { secret: `file:secrets/${id}/model-key` }]);
  const { secret } = stored.body;
  const settings = { provider: "openai-compatible", base_url: `${server.url}/v1/`, secret };
  expect((await list(id, settings)).body).toEqual({ data: ["a-model", "b-model"], failure: null });

  await store(id, { value: "sk-wrong-9876543210", hosts: [host] });
  const refused = (await list(id, settings)).body;
  expect(refused).toMatchObject({ data: [], failure: { category: "model_configuration" } });
  expect(JSON.stringify(refused)).not.toContain("sk-wrong");
  const other = await newOrganization("Others");
  const foreign = await list(other, settings);
  expect([foreign.status, foreign.body]).toMatchObject([
    422,
    { detail: expect.stringContaining("organization's secrets") as string },
  ]);

  const audit = (await service.call<Schemas["AuditPage"]>("GET", "/audit?limit=100")).body.data;
  expect(audit.filter(({ action }) => action === "org.store-secret")).toMatchObject([
    { organization_id: id },
    { organization_id: id },
  ]);
  const folder = join(service.dataDir, "secrets", id);
  expect(readFileSync(join(folder, "model-key"), "utf8")).toContain("sk-wrong");
  expect((await service.call("DELETE", `/organizations/${id}?name=Keys`)).status).toBe(200);
  expect(existsSync(folder)).toBe(false);
});

test.each([
  ["a space", { value: "sk 1", hosts: ["a.example"] }, "received 4 characters"],
  ["a line break", { value: "sk-1\n", hosts: ["a.example"] }, "received 5 characters"],
  ["nothing", { value: "", hosts: ["a.example"] }, "received 0 characters"],
  ["no hosts", { value: key, hosts: [] }, "hosts"],
  ["hosts that are missing", { value: key }, "hosts"],
  ["a URL as host", { value: key, hosts: ["https://a.example"] }, "hosts"],
])("a key with %s is rejected, and not repeated", async (_, body, reason) => {
  const { status, body: answer } = await store(await newOrganization("Invalid"), body);
  expect(status).toBe(422);
  expect(JSON.stringify(answer)).toContain(reason);
  expect(JSON.stringify(answer)).not.toContain("sk");
});

test("a name that is a path is rejected, and viewers store nothing and list nothing", async () => {
  const id = await newOrganization("Names");
  expect((await store(id, { value: key, hosts: ["a.example"] }, "..%2F..%2Fruns.sqlite")).status).toBe(404);
  for (const [method, path] of [
    ["PUT", `/organizations/${id}/secrets/k`],
    ["POST", `/organizations/${id}/model/list`],
  ] as const) {
    const body = method === "PUT" ? { value: key, hosts: ["a.example"] } : { provider: "demo" };
    expect((await service.call(method, path, { body, token: service.viewerToken })).status).toBe(403);
  }
});

test.each([
  ["a provider without a list", { provider: "demo" }, "has no list of models"],
  [
    "a server that cannot be reached",
    { provider: "openai-compatible", base_url: "http://127.0.0.1:9/v1" },
    "could not be reached",
  ],
  [
    "a key that is missing",
    { provider: "anthropic", secret: "env:ANTHROPIC_API_KEY", base_url: "http://127.0.0.1:9/v1" },
    "does not exist",
  ],
])("the list of %s is a failure with a reason", async (_, settings, reason) => {
  const { status, body } = await list(await newOrganization("Lists"), settings);
  expect(status).toBe(200);
  expect(body.data).toEqual([]);
  expect(body.failure?.title).toContain(reason);
});

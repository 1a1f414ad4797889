import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Schemas } from "../../../src/manage/call.ts";
import { chatServer, chunk, rejects, streams, usageChunk } from "../../providers/chat-completions-server.ts";
import { type ManageService, manageService } from "../../support/manage-service.ts";

let service: ManageService;
beforeAll(async () => {
  const allowed = [{ secret: "env:TEAM_KEY" }, { secret: "env:OTHER_KEY" }];
  service = await manageService({ allowedSecrets: allowed });
});
afterAll(() => service[Symbol.asyncDispose]());

type Organization = Schemas["Organization"];
type Agent = Schemas["Agent"];

const local = { provider: "openai-compatible", base_url: "http://127.0.0.1:9/v1", model: "m", secret: "env:TEAM_KEY" };

async function newOrganization(): Promise<string> {
  const { body } = await service.call<Organization>("POST", "/organizations", { body: { name: "Research" } });
  return body.id;
}
const put = (id: string, name: string, body: object) =>
  service.call<Organization & { detail: string }>("PUT", `/organizations/${id}/models/${name}`, { body });
const remove = (id: string, name: string) => service.call("DELETE", `/organizations/${id}/models/${name}`);
const createAgent = (organization_id: string, more: object) =>
  service.call<Agent & { detail: string }>("POST", "/agents", {
    body: { organization_id, definition: { name: "A", instructions: "i", ...more } },
  });

describe("further model configurations", () => {
  test("are added, replaced and removed beside the organization's model", async () => {
    const id = await newOrganization();
    await service.call("PUT", `/organizations/${id}/model`, { body: { provider: "demo" } });
    await put(id, "cheap", { provider: "demo" });
    const added = await put(id, "backup", local);
    expect(added).toMatchObject({
      status: 200,
      body: { model: { provider: "demo" }, models: [{ name: "backup", ...local }, { name: "cheap" }] },
    });
    // A secret that is left out is kept for the same server only.
    const { secret: _, ...others } = local;
    expect((await put(id, "backup", { ...others, model: "n" })).body.models[0]).toMatchObject({ ...local, model: "n" });
    const moved = await put(id, "backup", { ...others, base_url: "http://127.0.0.1:10/v1" });
    expect([moved.status, moved.body.detail]).toEqual([422, expect.stringContaining("secret is missing")]);
    expect((await remove(id, "cheap")).body).toMatchObject({ models: [{ name: "backup" }] });
    expect((await remove(id, "cheap")).body).toMatchObject({ code: "configuration_not_found" });
    expect((await service.call<Organization>("GET", `/organizations/${id}`)).body.models).toHaveLength(1);
  });

  test.for([
    ["Backup", { provider: "demo" }, "invalid_request"],
    ["default", { provider: "demo" }, "invalid_argument"],
    ["backup", { provider: "demo", region: "eu-central-1" }, "invalid_argument"],
    ["backup", { ...local, secret: "env:NOT_ALLOWED" }, "invalid_argument"],
  ] as const)("%s with %j is refused", async ([name, body, code]) => {
    expect(await put(await newOrganization(), name, body)).toMatchObject({ status: 422, body: { code } });
  });

  test("are at most 20", async () => {
    const id = await newOrganization();
    for (let number = 1; number <= 20; number++) await put(id, `m${number}`, { provider: "demo" });
    const { status, body } = await put(id, "m21", { provider: "demo" });
    expect([status, body.detail]).toEqual([422, expect.stringContaining("at most 20")]);
    expect((await put(id, "m20", { provider: "demo", enabled: false })).status).toBe(200);
  });

  test("are called by a test that names one", async () => {
    await using server = await chatServer(
      streams(chunk({ role: "assistant", content: "OK." }), chunk({}, { finish_reason: "stop" }), usageChunk),
      rejects(401, "no"),
    );
    const id = await newOrganization();
    await put(id, "backup", { provider: "openai-compatible", base_url: server.baseUrl, model: "m" });
    const call = (query: string) => service.call("POST", `/organizations/${id}/model/test${query}`);
    expect((await call("?configuration=backup")).body).toMatchObject({ ok: true, model: "m", text: "OK." });
    expect((await call("")).body).toMatchObject({ ok: false, failure: { category: "model_configuration" } });
    expect((await call("?configuration=other")).body).toMatchObject({ code: "configuration_not_found" });
    expect(server.received).toHaveLength(1);
  });
});

describe("agents with further model configurations", () => {
  test("have the model of the configuration, and keep it from removal", async () => {
    const id = await newOrganization();
    await put(id, "backup", { ...local, secret: null });
    const { body: agent } = await createAgent(id, { modelConfiguration: "backup" });
    expect(agent).toMatchObject({ model: "m", warnings: [] });
    const refused = await remove(id, "backup");
    expect(refused).toMatchObject({ status: 409, body: { code: "configuration_in_use" } });
    expect(refused.body["detail"]).toContain(`${agent.id} (A)`);
    await service.call("POST", `/agents/${agent.id}/archive`);
    expect((await remove(id, "backup")).status).toBe(409);
    await service.call("DELETE", `/agents/${agent.id}`);
    expect((await remove(id, "backup")).status).toBe(200);
  });

  test("have a warning about a fallback that cannot be used", async () => {
    const id = await newOrganization();
    await service.call("PUT", `/organizations/${id}/model`, { body: { provider: "demo" } });
    await put(id, "backup", { ...local, enabled: false });
    const { body } = await createAgent(id, { fallback: { modelConfiguration: "backup" } });
    expect(body.warnings).toEqual([
      expect.stringContaining("The fallback cannot be used: Model configuration 'backup'"),
    ]);
  });

  test.for([
    [{ modelConfiguration: "other" }, 'modelConfiguration is "other"; organization '],
    [{ fallback: { modelConfiguration: "other" } }, "has no further model configurations"],
    [{ model: "a", fallback: { model: "a" } }, "fallback is the agent's first model itself"],
    [{ prices: { input: 1, output: 1 }, fallback: { model: "b" } }, "fallback.prices is missing; prices requires it"],
    [{ fallback: { model: "b", prices: { input: 1, output: 1 } } }, "prices is missing; fallback.prices requires it"],
  ] as const)("%j is refused", async ([more, reason]) => {
    const { status, body } = await createAgent(await newOrganization(), more);
    expect([status, body.detail]).toEqual([422, expect.stringContaining(reason)]);
  });
});

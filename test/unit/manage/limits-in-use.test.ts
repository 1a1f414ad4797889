import { expect, test } from "vitest";
import { createAgent } from "../../../src/accounts/agents/agents.ts";
import { createKey } from "../../../src/accounts/keys.ts";
import { createOrganization, setQuota } from "../../../src/accounts/organizations.ts";
import { manageHandlers } from "../../../src/manage/handlers/manage-handlers.ts";
import { manageRouter } from "../../../src/manage/router.ts";
import { awsSecrets } from "../../../src/platform/aws/secrets.ts";
import { fakeAwsStores } from "../../support/fake-aws/platform.ts";
import { restCaller } from "../../support/local-service.ts";
import { manageService } from "../../support/manage-service.ts";

test("what an agent and its organization use is shown with the limits", async () => {
  await using service = await manageService();
  const { platform, templateId } = service;
  const { accounts } = platform;
  const { organizationId = "" } = (await accounts.findAgent(templateId)) ?? {};
  const definition = {
    name: "Other",
    instructions: "",
    tools: [],
    limits: { steps: 10, tokens: 100_000, seconds: 60 },
  };
  const other = await createAgent(accounts, organizationId, { ...definition, maxStoredBytes: 700 });
  const { key } = await createKey(accounts, other.id, {});
  await setQuota(accounts, organizationId, { maxStoredBytes: 5_000, maxPendingUploadBytes: 2_000 });
  const use = async (path: string) => (await service.call("GET", `${path}/use`)).body;
  const pending = { uploads: 20_000, bytes: 300 * 1024 * 1024 };

  for (const [token, size] of [
    [service.apiKey, 100],
    [key, 20],
  ] as const) {
    const program = restCaller(service.baseUrl, { basePath: "/ext/v1", token, problemsOf: () => [] });
    const files = [{ filename: "a.bin", content_base64: Buffer.alloc(size).toString("base64") }];
    expect((await program("POST", "/runs", { body: { name: "n", input_text: "i", files } })).status).toBe(201);
    const upload = { filename: "b.bin", size: 3 * size, sha256: "0".repeat(64) };
    expect((await program("POST", "/uploads", { body: upload })).status).toBe(201);
  }
  const created = await service.call("POST", "/runs", {
    body: { agent_id: templateId, name: "n", input_text: "Work.\ndemo: steps=90 delay=1000" },
  });
  const leave = new AbortController();
  await fetch(`${service.baseUrl}/ext/v1/runs/${String(created.body["id"])}/events`, {
    headers: { authorization: `Bearer ${service.apiKey}`, accept: "text/event-stream" },
    signal: leave.signal,
  });

  expect(await use(`/agents/${templateId}`)).toEqual({
    stored_bytes: { used: 100, limit: null },
    pending_uploads: { used: 1, limit: pending.uploads },
    pending_upload_bytes: { used: 300, limit: pending.bytes },
    open_streams: { used: 1, limit: 1_000 },
  });
  expect(await use(`/agents/${other.id}`)).toEqual({
    stored_bytes: { used: 20, limit: 700 },
    pending_uploads: { used: 1, limit: pending.uploads },
    pending_upload_bytes: { used: 60, limit: pending.bytes },
    open_streams: { used: 0, limit: 1_000 },
  });
  const together = {
    stored_bytes: { used: 120, limit: 5_000 },
    pending_uploads: { used: 2, limit: null },
    pending_upload_bytes: { used: 360, limit: 2_000 },
  };
  const organization = `/organizations/${organizationId}`;
  expect(await use(organization)).toEqual({ ...together, open_streams: { used: 1, limit: null } });
  leave.abort();
  await expect.poll(() => use(organization)).toEqual({ ...together, open_streams: { used: 0, limit: null } });
  for (const path of ["/agents", "/organizations"]) {
    expect((await service.call("GET", `${path}/00000000-0000-4000-8000-000000000009/use`)).status).toBe(404);
  }
});

test("on AWS, open streams are not known, and the reads do not grow with the agents", async () => {
  const stores = fakeAwsStores();
  const secrets = awsSecrets(() => Promise.reject(new Error("not used")), "agent-run-service/prod/");
  const workflow = { start: async () => {}, stop: async () => {} };
  const service = {
    platform: "aws",
    version: "0",
    sign_in: "aws",
    stack: "AgentRunService-prod",
    bodyBytes: 1,
    serviceUrl: () => null,
  } as const;
  const handlers = manageHandlers({ ...stores, ...secrets, workflow, now: Date.now, service });
  const handle = manageRouter(handlers, async () => ({ actor: "a", name: "a", role: "viewer" }), stores);
  const { id } = await createOrganization(stores.accounts, { name: "O" });
  const definition = { name: "A", instructions: "", tools: [], limits: { steps: 1, tokens: 1_000, seconds: 60 } };
  const agents: string[] = [];
  for (let count = 0; count < 3; count++) agents.push((await createAgent(stores.accounts, id, definition)).id);

  for (const path of [`/organizations/${id}`, `/agents/${agents[0]}`]) {
    const before = stores.calls();
    const { status, body } = await handle({
      id: "r",
      method: "GET",
      path: `/manage/v1${path}/use`,
      query: new URLSearchParams(),
      parameters: {},
      headers: {},
      parseBody: (parse) => parse(""),
    });
    expect([status, JSON.parse(String(body))]).toEqual([
      200,
      {
        stored_bytes: { used: 0, limit: null },
        pending_uploads: { used: 0, limit: null },
        pending_upload_bytes: { used: 0, limit: null },
        open_streams: null,
      },
    ]);
    expect(stores.calls() - before).toBe(5); // the organization or agent, and two counts of two owners
  }
});

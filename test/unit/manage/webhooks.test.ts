import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Schemas } from "../../../src/manage/call.ts";
import { type ManageService, manageService } from "../../support/manage-service.ts";
import { type WebhookReceiver, webhookReceiver } from "../../support/webhook-receiver.ts";

let service: ManageService;
let receiver: WebhookReceiver;
beforeAll(async () => {
  service = await manageService({ model: { provider: "demo", enabled: true } });
  receiver = await webhookReceiver();
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await receiver.close();
});

const missing = "00000000-0000-4000-8000-000000000001";
const texts = new Set<string>();

/** Calls, and keeps the answers that must contain no secret. */
async function call<Body>(method: string, path: string, body?: object): Promise<{ status: number; body: Body }> {
  const answer = await service.call<Body>(method, path, body && { body });
  texts.add(JSON.stringify(answer.body));
  return answer;
}

async function newAgent(): Promise<string> {
  const [organization] = (await service.call<Schemas["OrganizationPage"]>("GET", "/organizations")).body.data;
  const body = { organization_id: organization?.id, definition: { name: "Reports", instructions: "i" } };
  return (await service.call<Schemas["Agent"]>("POST", "/agents", { body })).body.id;
}

const change = (method: string, path: string, body?: object) =>
  service.call<Schemas["ChangedWebhook"]>(method, path, body && { body });

test("a webhook is set, rotated, disabled and removed; only the changes have its secrets", async () => {
  const agent = await newAgent();
  const path = `/agents/${agent}/webhook`;
  expect(await call("GET", path)).toMatchObject({ status: 404, body: { code: "webhook_not_found" } });
  const set = await change("PUT", path, { url: "https://example.com/hook" });
  expect(set).toMatchObject({
    status: 200,
    body: { agent_id: agent, url: "https://example.com/hook", enabled: true, private_addresses: false },
  });
  const secret = String(set.body.secret);
  expect(secret).toMatch(/^whsec_/);
  expect((await call<Schemas["Webhook"]>("GET", path)).body).toEqual({ ...set.body, secret: undefined });
  const disabled = await call<Schemas["ChangedWebhook"]>("PUT", path, { url: null, enabled: false });
  expect(disabled.body).toMatchObject({ url: null, enabled: false, secret: null, old_secret_valid_until: null });
  const rotated = await change("POST", `${path}/rotate-secret`, { overlap_hours: 1 });
  const until = Date.parse(rotated.body.secret_created_at) + 3_600_000;
  expect(rotated.body).toMatchObject({ old_secret_valid_until: new Date(until).toISOString() });
  const again = await change("POST", `${path}/rotate-secret`);
  expect(again.body.secret).toMatch(/^whsec_/);
  expect(await call("GET", path)).toMatchObject({ status: 200, body: { enabled: false } });
  expect((await call("DELETE", path)).status).toBe(204);
  expect((await call("DELETE", path)).status).toBe(404);
  const audited = await call<Schemas["AuditPage"]>("GET", "/audit");
  expect(audited.body.data.map(({ action }) => action)).toContain("webhook.rotate-secret");
  for (const shown of [secret, rotated.body.secret, again.body.secret]) {
    for (const text of texts) expect(text).not.toContain(shown);
  }
});

test("a test message is signed like the others, sent once, and listed with the answer", async () => {
  const agent = await newAgent();
  const path = `/agents/${agent}/webhook`;
  const post = () => service.call<Schemas["Delivery"]>("POST", `${path}/test`);
  expect(await post()).toMatchObject({ status: 404, body: { code: "webhook_not_found" } });
  const secret = String((await change("PUT", path, { url: null })).body.secret);
  expect(await post()).toMatchObject({ status: 422, body: { code: "invalid_argument", detail: /has no URL/ } });
  await using failing = await webhookReceiver(() => 503);
  await change("PUT", path, { url: failing.url, private_addresses: true, enabled: false });
  expect(await post()).toMatchObject({ status: 422, body: { code: "invalid_argument", detail: /is disabled/ } });

  await change("PUT", path, { url: failing.url, private_addresses: true });
  const sent = await post();
  expect(sent).toMatchObject({ status: 201, body: { type: "webhook.test", state: "pending", attempts: 0 } });
  const found = async () => {
    const { data } = (await service.call<Schemas["DeliveryPage"]>("GET", `/agents/${agent}/deliveries`)).body;
    return data.find(({ id }) => id === sent.body.id);
  };
  await expect.poll(async () => (await found())?.state).toBe("failed"); // no further attempt
  expect(await found()).toMatchObject({ attempts: 1, next_attempt_at: null, last_attempt: { status: 503 } });
  expect(failing.received).toHaveLength(1);
  const { body, headers } = failing.received[0]!;
  const run_id = "00000000-0000-0000-0000-000000000000";
  expect(new Webhook(secret).verify(body, headers)).toMatchObject({
    type: "webhook.test",
    data: { run_id, agent_id: agent, status: "finished", turn: 0, labels: {} },
  });
  expect(await service.call("POST", `/deliveries/${sent.body.id}/resend`)).toMatchObject({ status: 201 });
  const { data: audited } = (await service.call<Schemas["AuditPage"]>("GET", "/audit")).body;
  expect(audited).toContainEqual(expect.objectContaining({ action: "webhook.test", id: agent }));
  expect(await service.call("POST", `${path}/test`, { token: service.viewerToken })).toMatchObject({ status: 403 });
});

test("wrong settings and unknown ids are rejected, and a viewer changes nothing", async () => {
  const path = `/agents/${await newAgent()}/webhook`;
  const wrong: [string, string, object | undefined, number, string][] = [
    ["PUT", path, { url: "http://example.com" }, 422, "invalid_argument"],
    ["PUT", path, { url: "" }, 422, "invalid_request"],
    ["PUT", path, { url: `https://example.com/${"a".repeat(2_029)}` }, 422, "invalid_request"],
    ["PUT", path, { urls: [] }, 422, "invalid_request"],
    ["PUT", `/agents/${missing}/webhook`, {}, 404, "agent_not_found"],
    ["POST", `${path}/rotate-secret`, undefined, 404, "webhook_not_found"],
    ["POST", `${path}/rotate-secret`, { overlap_hours: 169 }, 422, "invalid_request"],
    ["POST", `/deliveries/msg_${"0".repeat(32)}_1_finished/resend`, undefined, 404, "delivery_not_found"],
    ["POST", "/deliveries/x/resend", undefined, 422, "invalid_request"],
    ["GET", `/agents/${missing}/deliveries`, undefined, 404, "agent_not_found"],
  ];
  for (const [method, at, body, status, code] of wrong) {
    expect(await service.call(method, at, body && { body }), `${method} ${at}`).toMatchObject({
      status,
      body: { code },
    });
  }
  const token = service.viewerToken;
  expect(await service.call("PUT", path, { body: {}, token })).toMatchObject({ status: 403 });
  expect(await service.call("GET", path, { token })).toMatchObject({
    status: 404,
    body: { code: "webhook_not_found" },
  });
});

test("the deliveries of an agent are listed in pages, and one is sent again", async () => {
  const agent = await newAgent();
  const settings = { url: receiver.url, private_addresses: true };
  const { secret } = (await change("PUT", `/agents/${agent}/webhook`, settings)).body;
  const runs: string[] = [];
  for (let number = 0; number < 3; number++) {
    const body = { agent_id: agent, name: "Run", input_text: "Hello" };
    runs.push((await service.call<Schemas["Run"]>("POST", "/runs", { body })).body.id);
  }
  const deliveries = `/agents/${agent}/deliveries`;
  const list = async (query = "") => (await service.call<Schemas["DeliveryPage"]>("GET", deliveries + query)).body;
  const states = async () => (await list()).data.map(({ state }) => state);
  await expect.poll(states).toEqual(["delivered", "delivered", "delivered"]);
  const all = (await list()).data;
  expect(all.map(({ run_id }) => run_id).toSorted()).toEqual(runs.toSorted());
  expect(all[0]).toMatchObject({ turn: 1, type: "run.finished", attempts: 1, last_attempt: { status: 204 } });
  const first = await list("?limit=2");
  const second = await list(`?limit=2&cursor=${first.next}`);
  expect([...first.data, ...second.data]).toEqual(all);
  expect(second.next).toBeNull();

  const again = await service.call<Schemas["Delivery"]>("POST", `/deliveries/${all[0]?.id}/resend`);
  expect(again).toMatchObject({ status: 201, body: { message_id: all[0]?.message_id, state: "pending", attempts: 0 } });
  await expect.poll(states).toHaveLength(4);
  await expect.poll(() => receiver.received.filter(({ id }) => id === all[0]?.message_id)).toHaveLength(2);
  const [message] = receiver.received;
  expect(() => new Webhook(String(secret)).verify(message!.body, message!.headers)).not.toThrow();
});

test("each endpoint gets the events that it wants, signed with its own secret; none is delayed by another", async () => {
  await using slow = await webhookReceiver(() => () => {}); // never answers
  await using failures = await webhookReceiver();
  const agent = await newAgent();
  const path = `/agents/${agent}/webhook`;
  await change("PUT", path, { url: slow.url, private_addresses: true, event_types: null });
  const add = (body: object) =>
    service.call<Schemas["ChangedWebhookEndpoint"]>("POST", `${path}/endpoints`, {
      body: { private_addresses: true, ...body },
    });
  const all = await add({ url: receiver.url });
  const onlyFailures = await add({ url: failures.url, event_types: ["run.failed"] });
  expect([all.status, onlyFailures.body.event_types]).toEqual([201, ["run.failed"]]);
  expect((await add({ url: receiver.url, event_types: ["run.started"] })).status).toBe(422);
  expect((await add({})).status).toBe(422);
  const listed = await call<Schemas["WebhookEndpointList"]>("GET", `${path}/endpoints`);
  expect(listed.body.data.map(({ id }) => id)).toEqual([all.body.id, onlyFailures.body.id]);

  receiver.received.splice(0);
  const run = (
    await service.call<Schemas["CreatedRun"]>("POST", "/runs", {
      body: { agent_id: agent, name: "R", input_text: "Hello" },
    })
  ).body;
  await expect.poll(() => receiver.received.length).toBe(1);
  const [{ body, headers }] = receiver.received as [(typeof receiver.received)[number]];
  expect(new Webhook(all.body.secret ?? "").verify(body, headers)).toMatchObject({ data: { run_id: run.id } });
  expect(() => new Webhook(onlyFailures.body.secret ?? "").verify(body, headers)).toThrow(
    "No matching signature found",
  );
  expect(failures.received).toEqual([]);

  const deliveries = async (endpoint: string) =>
    (await call<Schemas["DeliveryPage"]>("GET", `/agents/${agent}/deliveries?endpoint_id=${endpoint}`)).body.data;
  await expect.poll(() => deliveries(all.body.id)).toMatchObject([{ state: "delivered", endpoint_id: all.body.id }]);
  expect(await deliveries("first")).toMatchObject([{ state: "pending", endpoint_id: null, type: "run.finished" }]);
  expect(await deliveries(onlyFailures.body.id)).toEqual([]);

  const one = `${path}/endpoints/${onlyFailures.body.id}`;
  expect((await call("POST", `${one}/test`)).status).toBe(201);
  await expect.poll(() => failures.received.length).toBe(1);
  expect((await call("DELETE", one)).status).toBe(204);
  expect((await call("POST", `${one}/test`)).status).toBe(404);
});

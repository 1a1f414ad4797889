import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import type { Webhook as WebhookRecord } from "../../../src/accounts/account-types.ts";
import type { Delivery } from "../../../src/runs/deliveries.ts";
import type { Run } from "../../../src/runs/run-types.ts";
import { sendDelivery, type SendDeps } from "../../../src/deliveries/send-delivery.ts";
import { created, onTurn } from "../../platform/run-fixtures.ts";
import { fakeAwsStores } from "../../support/fake-aws/platform.ts";
import { webhookReceiver } from "../../support/webhook-receiver.ts";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const old = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
const at = Date.now();

/** The stores with a run that has ended, and its delivery. */
async function ended(webhook: Partial<WebhookRecord> = {}, run: Partial<Run> = {}) {
  const stores = fakeAwsStores();
  const { agentId, organizationId, id: runId, ...stored } = await created(stores.runs, { webhook: "agent", ...run });
  const set = { status: "finished", turn: 1, updatedAt: at } as const;
  await stores.runs.change({ ...onTurn({ id: runId, agentId, organizationId, ...stored }), set });
  await stores.accounts.replaceWebhook({
    agentId,
    organizationId,
    secrets: [{ value: secret, createdAt: 1 }],
    enabled: true,
    privateAddresses: true,
    createdAt: 1,
    updatedAt: 1,
    ...webhook,
  });
  const deps: SendDeps = { ...stores, addresses: "local", now: () => at };
  const id = `msg_${runId.replaceAll("-", "")}_1_finished`;
  const delivery = async (): Promise<Delivery | undefined> => stores.deliveries.find(id);
  return { deps, id, runId, agentId, delivery, accounts: stores.accounts };
}

test("the connection of an accepted message is closed, also if the answer never ends", async () => {
  for (const status of [200, 205]) {
    const closed = Promise.withResolvers<void>();
    await using receiver = await webhookReceiver(() => (_, response) => {
      response.on("close", closed.resolve);
      response.writeHead(status).write("the beginning of the answer");
    });
    const { deps, id, delivery } = await ended({ url: receiver.url });
    expect(await sendDelivery(deps, id, 0)).toBe("done");
    expect(await delivery()).toMatchObject({ state: "delivered", lastAttempt: { status } });
    await closed.promise;
  }
});

test("a delivery is sent once, signed with the valid secrets, and thin", async () => {
  await using receiver = await webhookReceiver();
  const secrets = [
    { value: secret, createdAt: 2 },
    { value: old, createdAt: 1, expiresAt: at + 1 },
    { value: "whsec_AAAA", createdAt: 0, expiresAt: at },
  ];
  const labels = { order: "4711" };
  const { deps, id, runId, agentId, delivery } = await ended({ url: `${receiver.url}/hook?a=b`, secrets }, { labels });
  expect(await sendDelivery(deps, id, 0)).toBe("done");
  expect(await delivery()).toMatchObject({ state: "delivered", attempts: 1, lastAttempt: { at, status: 204 } });
  expect(await delivery()).not.toHaveProperty("nextAttemptAt");
  expect(await sendDelivery(deps, id, 0)).toBe("done");
  expect(receiver.received).toHaveLength(1);
  const { headers, body, path } = receiver.received[0]!;
  expect([path, headers["content-type"], headers["webhook-id"]]).toEqual(["/hook?a=b", "application/json", id]);
  expect(headers["webhook-signature"]?.split(" ")).toHaveLength(2);
  for (const each of [secret, old]) {
    expect(new Webhook(each).verify(body, headers)).toEqual({
      type: "run.finished",
      timestamp: new Date(at).toISOString(),
      data: { run_id: runId, agent_id: agentId, status: "finished", turn: 1, labels },
    });
  }
});

test("a run's own URL is used in place of the agent's, also if that is disabled", async () => {
  await using receiver = await webhookReceiver();
  const { deps, id } = await ended(
    { url: "https://example.com/agent", enabled: false },
    { webhook: `${receiver.url}/run` },
  );
  expect(await sendDelivery(deps, id, 0)).toBe("done");
  expect(receiver.received.map(({ path }) => path)).toEqual(["/run"]);
});

test.each([
  ["429", "900", 900],
  ["503", new Date(Date.now() + 7_200_000).toUTCString(), 7_190],
  ["500", "soon", 5],
])("status %s with Retry-After %s delays the next attempt", async (status, retryAfter, least) => {
  await using receiver = await webhookReceiver(
    () => (_, response) => void response.writeHead(Number(status), { "retry-after": retryAfter }).end(),
  );
  const { deps, id, delivery } = await ended({ url: receiver.url });
  await sendDelivery(deps, id, 0);
  const { nextAttemptAt = 0, lastAttempt } = (await delivery()) ?? {};
  expect(nextAttemptAt - at).toBeGreaterThanOrEqual(least * 1_000);
  expect(nextAttemptAt - at).toBeLessThanOrEqual(Math.max(least, 10) * 1.25 * 1_000);
  expect(Object.keys(lastAttempt ?? {}).toSorted()).toEqual(["at", "milliseconds", "problem", "status"]);
});

test("a failed attempt is repeated later, and the answer's body is not kept", async () => {
  await using receiver = await webhookReceiver((count) => (count === 1 ? 500 : 200));
  const { deps, id, delivery } = await ended({ url: receiver.url });
  const outcome = await sendDelivery(deps, id, 0);
  expect(outcome).toEqual({ attempts: 1, retryAt: expect.any(Number) });
  const stored = await delivery();
  expect(stored).toMatchObject({ state: "pending", attempts: 1, lastAttempt: { status: 500 } });
  expect(outcome).toMatchObject({ retryAt: stored?.nextAttemptAt });
  expect(JSON.stringify(stored)).not.toContain("body of the answer");
  // The caller is repeated after a crash: it gets the same outcome, and nothing is sent.
  expect(await sendDelivery(deps, id, 0)).toEqual(outcome);
  expect(receiver.received).toHaveLength(1);
  expect(await sendDelivery(deps, id, 1)).toBe("done");
  expect(await delivery()).toMatchObject({ state: "delivered", attempts: 2, lastAttempt: { status: 200 } });
  expect((await delivery())?.lastAttempt).not.toHaveProperty("problem");
});

test("a delivery fails after its last attempt", async () => {
  await using receiver = await webhookReceiver(() => 503);
  const { deps, id, delivery } = await ended({ url: receiver.url });
  let outcome = await sendDelivery(deps, id, 0);
  while (outcome !== "done") outcome = await sendDelivery(deps, id, outcome.attempts);
  expect(receiver.received).toHaveLength(9);
  expect(new Set(receiver.received.map((message) => message.id))).toEqual(new Set([id]));
  expect(await delivery()).toMatchObject({ state: "failed", attempts: 9, lastAttempt: { status: 503 } });
});

test("of two senders at once, both see the outcome of the attempt that was recorded", async () => {
  await using receiver = await webhookReceiver(() => 500);
  const { deps, id, delivery } = await ended({ url: receiver.url });
  const [first, second] = await Promise.all([sendDelivery(deps, id, 0), sendDelivery(deps, id, 0)]);
  expect(first).toEqual(second);
  expect(await delivery()).toMatchObject({ attempts: 1 });
});

test("a receiver that answers 410 ends the delivery and disables the agent's URL", async () => {
  await using receiver = await webhookReceiver(() => 410);
  const { deps, id, agentId, delivery, accounts } = await ended({ url: receiver.url });
  expect(await sendDelivery(deps, id, 0)).toBe("done");
  expect(await delivery()).toMatchObject({ state: "failed", attempts: 1, lastAttempt: { status: 410 } });
  const disabled = { reason: "the receiver answered 410" };
  expect(await accounts.findWebhook(agentId)).toMatchObject({ enabled: false, disabled });
});

test("410 for a run's own URL ends only that delivery", async () => {
  await using receiver = await webhookReceiver(() => 410);
  const { deps, id, agentId, delivery, accounts } = await ended(
    { url: receiver.url },
    { webhook: `${receiver.url}/own` },
  );
  expect(await sendDelivery(deps, id, 0)).toBe("done");
  expect(await delivery()).toMatchObject({ state: "failed" });
  expect(await accounts.findWebhook(agentId)).toMatchObject({ enabled: true });
});

test("a redirect is not followed", async () => {
  await using receiver = await webhookReceiver(() => (_request, response) => {
    response.writeHead(307, { location: "/elsewhere" }).end();
  });
  const { deps, id, delivery } = await ended({ url: receiver.url });
  expect(await sendDelivery(deps, id, 0)).toMatchObject({ attempts: 1 });
  expect(receiver.received).toHaveLength(1);
  const problem = "redirects are not followed; set the URL it redirects to";
  expect(await delivery()).toMatchObject({ state: "pending", lastAttempt: { status: 307, problem } });
});

test("a reset connection is retried, and its cause is a clause", async () => {
  await using receiver = await webhookReceiver(() => (request) => request.socket.resetAndDestroy());
  const { deps, id, delivery } = await ended({ url: receiver.url });
  expect(await sendDelivery(deps, id, 0)).toMatchObject({ attempts: 1 });
  expect((await delivery())?.lastAttempt?.problem).toMatch(/hang up|ECONNRESET/);
});

test("a name that no connection is possible to has a cause, too", async () => {
  const receiver = await webhookReceiver();
  await receiver.close();
  const { deps, id, delivery } = await ended({ url: `http://localhost:${receiver.port}` });
  expect(await sendDelivery(deps, id, 0)).toMatchObject({ attempts: 1 });
  expect((await delivery())?.lastAttempt?.problem).toContain("ECONNREFUSED");
});

test("a caller that stops leaves the delivery as it was", async () => {
  const stop = new AbortController();
  await using receiver = await webhookReceiver(() => () => stop.abort(new Error("stopped")));
  const { deps, id, delivery } = await ended({ url: receiver.url });
  await expect(sendDelivery(deps, id, 0, stop.signal)).rejects.toThrow("stopped");
  expect(await delivery()).toMatchObject({ state: "pending", attempts: 0 });
});

test("private addresses and http: are refused unless the webhook allows them, and then as far as the platform does", async () => {
  await using receiver = await webhookReceiver();
  const refused: [Partial<WebhookRecord>, SendDeps["addresses"], RegExp][] = [
    [{ privateAddresses: false }, "local", /does not begin with https:/],
    [
      { privateAddresses: false, url: receiver.url.replace("http:", "https:") },
      "local",
      /not an address of the public/,
    ],
    [{}, "private", /not an address of the public internet or a private network/],
    [{}, "public", /not an address of the public internet/],
  ];
  for (const [webhook, addresses, problem] of refused) {
    const { deps, id, delivery } = await ended({ url: receiver.url, ...webhook });
    expect(await sendDelivery({ ...deps, ...(addresses && { addresses }) }, id, 0)).toBe("done");
    expect(await delivery()).toMatchObject({
      state: "failed",
      attempts: 1,
      lastAttempt: { problem: expect.stringMatching(problem) },
    });
    // What was refused is not sent after the setting has changed.
    expect(await sendDelivery(deps, id, 1)).toBe("done");
  }
  expect(receiver.received).toEqual([]);
});

test("a delivery without a target fails at once, with the reason", async () => {
  const cases: [Partial<WebhookRecord>, string][] = [
    [{ url: "https://example.com", secrets: [] }, "the agent has no webhook any more"],
    [{ url: "https://example.com", enabled: false }, "the webhook of the agent is disabled"],
    [{}, "the webhook of the agent has no URL any more"],
  ];
  for (const [webhook, problem] of cases) {
    const { deps, id, delivery } = await ended(webhook);
    expect(await sendDelivery(deps, id, 0)).toBe("done");
    expect(await delivery()).toMatchObject({ state: "failed", attempts: 1, lastAttempt: { problem } });
  }
  const { deps } = await ended();
  expect(await sendDelivery(deps, "msg_unknown", 0)).toBe("done");
});

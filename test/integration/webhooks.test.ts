import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ReceivedMessage, type WebhookReceiver, webhookReceiver } from "../support/webhook-receiver.ts";
import { admin, done, rejected } from "./admin.ts";
import { createRun, finished, newDataDir, type Service, startService } from "./service.ts";

let service: Service;
let receiver: WebhookReceiver;
let logged = "";
/** Everything that was printed by commands that must not show a secret. */
let printed = "";
beforeAll(async () => {
  receiver = await webhookReceiver((count) => (count === 1 ? 500 : 204));
  service = await startService(newDataDir(), ["--verbose"]);
  service.child.stderr?.on("data", (chunk: Buffer) => (logged += chunk.toString()));
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await receiver.close();
});

async function webhook(command: string, ...args: string[]): Promise<Record<string, unknown>> {
  return done(service.dataDir, "webhook", command, ...args);
}
const ofAgent = (): string[] => ["--agent", service.templateId];

/** Runs a command for people and keeps what it prints. */
async function print(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await admin(service.dataDir, ...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  printed += stdout;
  return stdout;
}

async function received(count: number): Promise<ReceivedMessage> {
  await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBe(count);
  return receiver.received.at(-1)!;
}

test("an operator sets a webhook, sees what was sent, rotates the secret and sends again; no list shows a secret", async () => {
  const { dataDir, templateId } = service;
  expect(await rejected(dataDir, "webhook", "show", ...ofAgent())).toContain("has no webhook; set one first");
  const http = await rejected(dataDir, "webhook", "set", ...ofAgent(), "--url", receiver.url);
  expect(http).toContain("http: is accepted only for a webhook that may lead to private addresses");

  const set = await webhook("set", ...ofAgent(), "--url", `${receiver.url}/hook`, "--private-addresses");
  expect(set).toMatchObject({ agent_id: templateId, enabled: true, secret: expect.stringMatching(/^whsec_/) });
  const first = String(set["secret"]);
  expect(await webhook("set", ...ofAgent(), "--url", receiver.url, "--private-addresses")).toMatchObject({
    secret: null,
  });

  const runId = await createRun(service, { input_text: "Hello" });
  await finished(service, runId);
  await received(2); // the first answer was 500
  const [refused, accepted] = receiver.received;
  expect(accepted).toMatchObject({ id: refused?.id, body: refused?.body });
  expect(new Webhook(first).verify(accepted!.body, accepted!.headers)).toMatchObject({
    type: "run.finished",
    data: { run_id: runId, agent_id: templateId, status: "finished", turn: 1, labels: {} },
  });
  const message = `msg_${runId.replaceAll("-", "")}_1_finished`;
  await expect
    .poll(async () => print("webhook", "deliveries", ...ofAgent()))
    .toMatch(/run\.finished +delivered +2 +204/);
  const { data } = await webhook("deliveries", ...ofAgent());
  expect(data).toEqual([expect.objectContaining({ id: message, run_id: runId, state: "delivered", attempts: 2 })]);

  const { secret } = await webhook("rotate-secret", ...ofAgent());
  await print("webhook", "resend", message);
  const again = await received(3);
  expect(again).toMatchObject({ id: message, body: accepted!.body });
  for (const each of [first, String(secret)])
    expect(() => new Webhook(each).verify(again.body, again.headers)).not.toThrow();
  const unknown = `msg_${"0".repeat(36)}_1_finished`;
  expect(await rejected(dataDir, "webhook", "resend", unknown)).toContain(`delivery "${unknown}" does not exist`);

  await print("webhook", "disable", ...ofAgent());
  await finished(service, await createRun(service, { input_text: "Hello" }));
  await print("webhook", "enable", ...ofAgent());
  const stopped = await createRun(service, { input_text: "demo: steps=50 delay=200" });
  await done(dataDir, "run", "stop", stopped);
  const terminated = JSON.parse((await received(4)).body) as unknown;
  expect(terminated).toMatchObject({ type: "run.terminated", data: { run_id: stopped, status: "terminated" } });

  expect(await print("webhook", "show", ...ofAgent())).toContain("old_secret_valid_until");
  await print("webhook", "remove", ...ofAgent());
  const audited = await print("audit");
  for (const action of ["set", "rotate-secret", "disable", "enable", "remove"])
    expect(audited).toContain(`webhook.${action}`);
  expect(audited).toContain("delivery.resend");
  for (const each of [first, String(secret)]) {
    expect(logged).not.toContain(each);
    expect(printed).not.toContain(each);
  }
  expect(logged).not.toContain("whsec_");
});

import type { Page } from "playwright-core";
import { Webhook } from "standardwebhooks";
import { beforeAll, expect, test } from "vitest";
import { webhookReceiver } from "../support/webhook-receiver.ts";
import { own, ownOrganization } from "./own-service.ts";

let page: Page;

const receiver = own(() => webhookReceiver((count) => (count === 2 ? 410 : 204)));
const service = ownOrganization();
const view = own(() => service.open(`agents/${service.templateId}?tab=webhook`));
beforeAll(() => void ({ page } = view));

const dialog = () => page.getByRole("dialog");
const button = (name: string) => page.getByRole("main").getByRole("button", { name, exact: true });
const rows = () => page.getByRole("row").filter({ hasText: "run.finished" });

/** Reads the secret of the open dialog, and closes it. */
async function takeSecret(): Promise<string> {
  const secret = await dialog()
    .getByText(/^whsec_/)
    .innerText();
  await dialog().getByLabel("I have stored the secret").check();
  await dialog().getByRole("button", { name: "Done" }).click();
  return secret;
}

let secret: string;

test("a webhook is set, after a wrong URL is explained, and its secret is shown once", async () => {
  await button("Set webhook").click();
  await dialog().getByLabel("URL").fill(receiver.url);
  await dialog().getByRole("button", { name: "Save" }).click();
  await dialog().getByRole("alert").filter({ hasText: "http: is accepted only for" }).waitFor();
  await dialog().getByLabel("Accept http: and private addresses").check();
  await dialog().getByRole("button", { name: "Save" }).click();
  secret = await takeSecret();
  await page.getByText(receiver.url).waitFor();
  expect(await page.content()).not.toContain(secret);
});

test("a test message is sent, and listed with the answer", async () => {
  await button("Send test message").click();
  await page.getByRole("row").filter({ hasText: "webhook.test" }).filter({ hasText: "204" }).waitFor();
  const [{ body, headers }] = receiver.received.splice(0) as [(typeof receiver.received)[number]];
  expect(new Webhook(secret).verify(body, headers)).toMatchObject({ type: "webhook.test" });
});

test("what was sent is listed, and is sent again", async () => {
  await service.endedRun({ input_text: "Hello" });
  await rows().filter({ hasText: "delivered" }).waitFor();
  const { body, headers } = receiver.received[0]!;
  expect(() => new Webhook(secret).verify(body, headers)).not.toThrow();
  await rows().getByRole("button", { name: "Send again" }).click();
  await rows().nth(1).waitFor();
  await expect
    .poll(() => receiver.received.map(({ id }) => id))
    .toEqual([receiver.received[0]?.id, receiver.received[0]?.id]);
});

test("a receiver that is gone disables the webhook, which is enabled again", async () => {
  await page.getByText("the receiver answered 410").waitFor();
  await rows().filter({ hasText: "410" }).filter({ hasText: "failed" }).waitFor();
  await button("Enable").click();
  await button("Disable").waitFor();
});

test("an endpoint for some events is added with its own secret, tried, and the list is limited to it", async () => {
  const further = page.getByRole("region", { name: "Further endpoints" });
  await button("Add endpoint").click();
  await dialog().getByLabel("URL").fill(`${receiver.url}/further`);
  await dialog().getByLabel("run.finished").uncheck();
  await dialog().getByLabel("Accept http: and private addresses").check();
  await dialog().getByRole("button", { name: "Save" }).click();
  expect(await takeSecret()).not.toBe(secret);
  await further.getByText("run.waiting, run.failed, run.terminated").waitFor();
  receiver.received.splice(0);
  await further.getByRole("button", { name: "Test", exact: true }).click();
  await expect.poll(() => receiver.received.map(({ path }) => path)).toEqual(["/further"]);
  await page.getByLabel("Endpoint", { exact: true }).selectOption({ index: 2 });
  await rows().first().waitFor({ state: "detached" });
  await page.getByRole("row").filter({ hasText: "webhook.test" }).waitFor();
  await page.getByLabel("Endpoint", { exact: true }).selectOption("All endpoints");
  await further.getByRole("button", { name: "Remove…" }).click();
  await dialog().getByRole("button", { name: "Remove" }).click();
  await further.getByText(`${receiver.url}/further`).waitFor({ state: "detached" });
});

test("the secret is rotated, and the webhook removed", async () => {
  await button("Rotate secret…").click();
  await dialog().getByRole("button", { name: "Rotate" }).click();
  expect(await takeSecret()).not.toBe(secret);
  await page.getByText("the old one is valid until").waitFor();
  await button("Remove…").click();
  await dialog().getByRole("button", { name: "Remove" }).click();
  await page.getByText("No webhook yet").waitFor();
});

import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import type { Delivery } from "../../src/runs/deliveries.ts";
import { openLocalPlatform } from "../../src/platform/local/open-platform.ts";
import { startSender } from "../../src/platform/local/process/sender.ts";
import { temporaryStores } from "../support/temporary-stores.ts";
import { webhookReceiver } from "../support/webhook-receiver.ts";
import { newDelivery } from "./deliveries.contract.ts";
import { created } from "./run-fixtures.ts";

type Stores = ReturnType<typeof temporaryStores>;

/** Stores `count` due deliveries of a new agent, by default of a new organization, whose webhook has this URL. */
async function dueAt(
  stores: Pick<Stores, "accounts" | "runs" | "deliveries">,
  url: string,
  count: number,
  organization: { organizationId?: string } = {},
): Promise<Delivery[]> {
  const { agentId, organizationId, id: runId } = await created(stores.runs, { webhook: "agent", ...organization });
  const times = { createdAt: 1, updatedAt: 1 };
  const secrets = [{ value: "whsec_AAAA", createdAt: 1 }];
  const webhook = { agentId, organizationId, url, secrets, enabled: true, privateAddresses: true, ...times };
  await stores.accounts.replaceWebhook(webhook);
  const deliveries = Array.from({ length: count }, () => newDelivery({ agentId, organizationId, runId }));
  await Promise.all(deliveries.map((each) => stores.deliveries.add(each)));
  return deliveries;
}

const depsOf = (stores: Stores) => ({ ...stores, addresses: "local" as const, now: Date.now });
const idsOf = (of: { id: string }[]): string[] => of.map(({ id }) => id).toSorted();

test("deliveries of before the start, and of another process, are sent once each", async () => {
  using stores = temporaryStores();
  await using receiver = await webhookReceiver();
  const before = await dueAt(stores, receiver.url, 20);
  const sender = startSender(depsOf(stores));
  const other = openLocalPlatform({ dataDir: stores.dataDir });
  const later = await dueAt(other, receiver.url, 2);
  other.close();
  await expect.poll(() => idsOf(receiver.received)).toEqual(idsOf([...before, ...later]));
  await expect.poll(async () => (await stores.deliveries.find(later[1]!.id))?.state).toBe("delivered");
  await sender.close();
  expect(receiver.received).toHaveLength(22);
});

test("a receiver that does not answer blocks only itself, and the end of the service does not wait for it", async () => {
  using stores = temporaryStores();
  await using silent = await webhookReceiver(() => () => {});
  await using receiver = await webhookReceiver();
  const stuck = await dueAt(stores, silent.url, 300);
  const sender = startSender(depsOf(stores));
  await expect.poll(() => silent.received.length).toBe(5);
  const sent = await dueAt(stores, receiver.url, 50);
  await expect.poll(() => idsOf(receiver.received)).toEqual(idsOf(sent));
  await sender.close();
  expect(silent.received).toHaveLength(5);
  for (const { id } of stuck.slice(0, 5)) expect(await stores.deliveries.find(id)).toMatchObject({ attempts: 0 });
});

test("a delivery that is due later is sent later", async () => {
  using stores = temporaryStores();
  await using receiver = await webhookReceiver();
  const [first] = await dueAt(stores, receiver.url, 1);
  const later = { ...first!, id: randomUUID(), nextAttemptAt: Date.now() + 3_600_000 };
  await stores.deliveries.add(later);
  let now = Date.now();
  const sender = startSender({ ...depsOf(stores), now: () => now });
  await expect.poll(async () => (await stores.deliveries.find(first!.id))?.state).toBe("delivered");
  expect(await stores.deliveries.find(later.id)).toEqual(later);
  now += 3_600_001;
  await expect.poll(async () => (await stores.deliveries.find(later.id))?.state).toBe("delivered");
  await sender.close();
  expect(receiver.received).toHaveLength(2);
});

test("messages of an organization are sent at once while another's silent receivers hold all places that it may", async () => {
  using stores = temporaryStores();
  await using silent = await webhookReceiver(() => () => {});
  await using receiver = await webhookReceiver();
  const organizationId = randomUUID();
  for (let n = 0; n < 40; n++) await dueAt(stores, `${silent.url}/${n}`, 5, { organizationId });
  const sender = startSender(depsOf(stores));
  await expect.poll(() => silent.received.length).toBe(149);
  const sent = await dueAt(stores, receiver.url, 5);
  await expect.poll(() => idsOf(receiver.received)).toEqual(idsOf(sent));
  await sender.close();
});

test("a destination that does not answer pauses, longer each time, and the pauses end with an answer", async () => {
  using stores = temporaryStores();
  let answers = false;
  await using receiver = await webhookReceiver(() => (request, response) => {
    if (answers) response.writeHead(204).end();
    else request.socket.destroy();
  });
  const due = await dueAt(stores, receiver.url, 30);
  let now = Date.now();
  const sender = startSender({ ...depsOf(stores), now: () => now });
  const { received } = receiver;
  // The clock moves when an attempt is recorded: one that ends after the move would be retried later.
  const recorded = async () =>
    (await Promise.all(due.map(({ id }) => stores.deliveries.find(id)))).filter((each) => each?.attempts === 1).length;
  await expect.poll(recorded).toBe(5);
  now += 1_999;
  await someLooks();
  expect(received).toHaveLength(5);
  now += 1;
  await expect.poll(recorded).toBe(10);
  now += 3_999;
  await someLooks();
  expect(received).toHaveLength(10);
  answers = true;
  now += 1;
  await expect.poll(() => received.length).toBe(35); // all others, and the retries of the first five
  await sender.close();
});

/** The sender looks for due deliveries four times a second. */
const someLooks = () => new Promise((resolve) => setTimeout(resolve, 600));

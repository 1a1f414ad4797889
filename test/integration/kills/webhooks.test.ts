import type { IncomingMessage, ServerResponse } from "node:http";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import { expect, test, vi } from "vitest";
import { setWebhook } from "../../../src/accounts/webhooks.ts";
import { openLocalPlatform } from "../../../src/platform/local/open-platform.ts";
import { webhookReceiver } from "../../support/webhook-receiver.ts";
import { createRun, newDataDir, type Service, startService } from "../service.ts";

vi.setConfig({ testTimeout: 300_000 }); // a start takes seconds on a busy machine

const runsPerKill = 4;

/** A moment at which the service is killed: before the receiver reads a message, before its answer, or after it. */
type Moment = "soon" | "asked" | "answered";
const moments: Moment[] = ["soon", "asked", "answered"];

/** At different moments of deliveries to a receiver that answers slowly. */
const kills = 15;
/** Of so many requests, one gets no answer, which takes 15 seconds. Every seventh answer to a new message is 500 or a reset. */
const silentEvery = 25;

test(`no message is lost by a service that is killed ${kills} times, and each is delivered`, async () => {
  let [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const accepted: string[] = [];
  const seen = new Set<string>();
  const answer = async (request: IncomingMessage, response: ServerResponse, count: number): Promise<void> => {
    asked.resolve();
    await sleep(20 * Math.random());
    const id = String(request.headers["webhook-id"]);
    const isFirst = !seen.has(id); // a second failure would take a minute
    seen.add(id);
    if (isFirst && count % silentEvery === 0) return;
    if (isFirst && count % 14 === 0) request.socket.resetAndDestroy();
    else if (isFirst && count % 7 === 0) response.writeHead(500).end();
    else {
      accepted.push(id);
      response.writeHead(204).end(() => answered.resolve());
    }
  };
  await using receiver = await webhookReceiver((count) => (request, response) => {
    void answer(request, response, count);
  });

  const dataDir = newDataDir();
  const first = await startService(dataDir);
  const { accounts, close } = openLocalPlatform({ dataDir });
  const settings = { url: receiver.url, privateAddresses: true, addresses: "local" } as const;
  const { secret = "" } = await setWebhook(accounts, first.templateId, settings);
  close();

  let service: Service = first;
  const runIds: string[] = [];
  for (let kill = 0; kill < kills; kill++) {
    const caller = { ...service, apiKey: first.apiKey };
    const input_text = `demo: steps=${1 + (kill % 2)} delay=5`;
    const created = await Promise.all(Array.from({ length: runsPerKill }, () => createRun(caller, { input_text })));
    runIds.push(...created);
    [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const moment = moments[kill % moments.length];
    if (moment === "soon") await sleep(300 * Math.random());
    else await (moment === "asked" ? asked.promise : answered.promise);
    expect(await service.end("SIGKILL")).toBe("SIGKILL");
    service = await startService(dataDir);
  }

  const db = new DatabaseSync(join(dataDir, "runs.sqlite"), { readOnly: true });
  const states = db.prepare("SELECT body ->> 'state' AS state, count(*) AS n FROM deliveries GROUP BY 1");
  const delivered = { state: "delivered", n: runIds.length };
  await expect.poll(() => states.all(), { timeout: 60_000, interval: 50 }).toEqual([delivered]);

  expect([...new Set(accepted)].toSorted()).toEqual(runIds.map(messageOf).toSorted());
  for (const { body, headers } of receiver.received)
    expect(() => new Webhook(secret).verify(body, headers)).not.toThrow();
  console.log(
    `${kills} kills: ${runIds.length} messages, each delivered; ${receiver.received.length} requests, ` +
      `${accepted.length - runIds.length} duplicates`,
  );
  db.close();
  await service.end("SIGTERM");
  rmSync(dataDir, { recursive: true });
});

function messageOf(runId: string): string {
  return `msg_${runId.replaceAll("-", "")}_1_finished`;
}

import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { finished, newDataDir, type Service, startService } from "../service.ts";

vi.setConfig({ testTimeout: 300_000 }); // a start takes seconds on a busy machine

const [clients, createsPerClient] = [50, 20];

const kills = 5;

test(`1,000 creates with one key from 50 clients make one run of a service killed ${kills} times`, async () => {
  const dataDir = newDataDir();
  const first = await startService(dataDir);
  let service: Service = first;
  const body = JSON.stringify({ name: "Order 4711", input_text: "Hello", labels: { order: "4711" } });
  const headers = {
    authorization: `Bearer ${first.apiKey}`,
    "content-type": "application/json",
    "idempotency-key": "order-4711",
  };
  const answers: { id: string; replayed: boolean }[] = [];

  /** Repeats a create without an answer, as a client with an idempotency key may. */
  async function create(): Promise<void> {
    const response = await fetch(`${service.baseUrl}/ext/v1/runs`, { method: "POST", headers, body }).catch(() => {});
    const created = (await response?.json().catch(() => {})) as { id: string } | undefined;
    if (!response || !created) return sleep(20).then(create);
    expect(response.status).toBe(201);
    answers.push({ id: created.id, replayed: response.headers.get("idempotent-replayed") === "true" });
  }

  const creating = Promise.all(
    Array.from({ length: clients }, async () => {
      for (let count = 0; count < createsPerClient; count++) await create();
    }),
  );
  for (let kill = 0; kill < kills; kill++) {
    while (answers.length < (kill * clients * createsPerClient) / kills) await sleep(1); // 0: before the first answer
    await service.end("SIGKILL");
    service = await startService(dataDir);
  }
  await creating;

  const ids = new Set(answers.map(({ id }) => id));
  expect([answers.length, ids.size]).toEqual([clients * createsPerClient, 1]);
  expect(answers.filter(({ replayed }) => !replayed).length).toBeLessThanOrEqual(1); // its answer can be lost
  const listed = await fetch(`${service.baseUrl}/ext/v1/runs?label=order%3D4711`, { headers });
  const { data } = (await listed.json()) as { data: { id: string; turn: number }[] };
  const [id = ""] = ids;
  expect(data).toMatchObject([{ id, turn: 1 }]);
  expect((await finished({ ...service, apiKey: first.apiKey }, id)).loop_status).toBe("finished");
  await service.end("SIGTERM");
  rmSync(dataDir, { recursive: true });
});

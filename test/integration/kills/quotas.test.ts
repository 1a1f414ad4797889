import { rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { setQuota } from "../../../src/accounts/organizations.ts";
import { openLocalPlatform } from "../../../src/platform/local/open-platform.ts";
import { createRun, finished, newDataDir, type Service, startService } from "../service.ts";

vi.setConfig({ testTimeout: 300_000 }); // a start takes seconds on a busy machine

const [maxRunning, runs] = [2, 8];

/** At a different state of the queue each, while runs wait for a slot. */
const kills = 6;

test(`a service that is killed ${kills} times exceeds no quota, and all waiting runs end`, async () => {
  const dataDir = newDataDir();
  const first = await startService(dataDir);
  const { accounts, close } = openLocalPlatform({ dataDir });
  const [organization] = await accounts.listOrganizations();
  await setQuota(accounts, organization?.id ?? "", { maxRunning });
  close();
  const input_text = "demo: steps=4 delay=20";
  const ids = await Promise.all(Array.from({ length: runs }, () => createRun(first, { input_text })));

  const db = new DatabaseSync(join(dataDir, "runs.sqlite"), { readOnly: true });
  const counts = db.prepare(
    "SELECT total(waiting IS NOT 1) AS running, total(waiting IS 1) AS waiting FROM runs WHERE status = 'running'",
  );
  const count = () => counts.get() as { running: number; waiting: number };
  let service: Service = first;
  const seen: number[] = [];
  for (let kill = 0; kill < kills; kill++) {
    // A waiting run starts: the kill hits whatever follows.
    const before = count().waiting;
    for (let { running, waiting } = count(); waiting === before && waiting > 0; { running, waiting } = count()) {
      seen.push(running);
      await sleep(1);
    }
    expect(await service.end("SIGKILL")).toBe("SIGKILL");
    service = await startService(dataDir);
  }
  const ended = { ...service, apiKey: first.apiKey };
  for (const id of ids) expect((await finished(ended, id)).loop_status).toBe("finished");
  expect(Math.max(...seen)).toBe(maxRunning);
  expect(count()).toEqual({ running: 0, waiting: 0 });
  db.close();
  await service.end("SIGTERM");
  rmSync(dataDir, { recursive: true });
});

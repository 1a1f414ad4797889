import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { Numbers } from "../fixtures/reading-tasks/task.ts";
import { modelAt, newDataDir, startService } from "../integration/service.ts";
import { answers } from "./load/answers.ts";
import { bundles } from "./load/bundles.ts";
import { Callers, seed } from "./load/callers.ts";
import { deletes } from "./load/deletes.ts";
import { KilledService } from "./load/killed-service.ts";
import { creates, inputs } from "./load/runs.ts";
import { addAgent, endedRuns, model } from "./load/set-up.ts";
import { trials } from "./load/trials.ts";
import { uploads } from "./load/uploads.ts";

vi.setConfig({ testTimeout: 900_000 }); // on a busy machine

const kills = 12;
/** Requests and responses between a start and the next kill. */
const mostMoments = 500;
/** Deletions that are acknowledged in all. */
const leastDeletes = 50;

test(`what was acknowledged is there once after ${kills} kills at random moments`, async () => {
  await using server = await model();
  const dataDir = newDataDir();
  await using service = new KilledService(() => startService(dataDir, modelAt(server.baseUrl)));
  const [toExport, toTry] = [await endedRuns(service, 5), await endedRuns(service, 2)];
  await addAgent(service);
  const made = creates();
  const removed = deletes();
  const works = [made, inputs(made), uploads(), answers(), bundles(toExport), trials(toTry), removed];

  console.log(`AGENT_RUNS_TEST_SEED=${seed}`);
  const numbers = new Numbers(seed);
  const callers = new Callers(service, works);
  for (let kill = 1; kill <= kills; kill++) {
    while (removed.acknowledged() < (leastDeletes / kills) * (kill - 1)) await callers.during(service.after(1));
    await callers.during(service.after(1 + numbers.next(mostMoments)));
    await sleep(numbers.next(6)); // before, during or after what the request writes
    await callers.during(service.kill());
  }
  while (removed.acknowledged() < leastDeletes) await callers.during(service.after(1));
  await callers.stop();

  const counts = works.map((work) => `${work.acknowledged()} ${work.name}`).join(", ");
  console.log(`acknowledged ${counts}; longest start ${Math.round(service.longestStart)} ms`);
  for (const work of works) {
    expect([work.name, work.acknowledged() > 0]).toEqual([work.name, true]);
    await work.check(service, work.acknowledged());
  }
});

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { Numbers } from "../fixtures/reading-tasks/task.ts";
import { modelAt, startService } from "../integration/service.ts";
import { Callers, seed } from "./load/callers.ts";
import { deletes } from "./load/deletes.ts";
import { KilledService } from "./load/killed-service.ts";
import { LoopDisk, mounted } from "./load/loop-disk.ts";
import { creates, inputs } from "./load/runs.ts";
import { addAgent, model } from "./load/set-up.ts";

vi.setConfig({ testTimeout: 900_000 }); // on a busy machine

const cuts = 6;
/** Requests and responses between two cuts. */
const mostMoments = 500;

test(`what was acknowledged is there after ${cuts} power cuts at random moments`, async (context) => {
  let made: LoopDisk;
  try {
    made = new LoopDisk();
  } catch (error) {
    const why = `this process cannot mount an ext4 on a loop device (${(error as Error).message.trim()})`;
    console.log(`skipped: ${why}`);
    return context.skip(why); // an ordinary user, and root in most containers
  }
  using disk = made;
  await using server = await model();
  const start = (path: string) => () => startService(join(path, "data"), modelAt(server.baseUrl));
  await using service = new KilledService(start(disk.path));
  await addAgent(service);
  const created = creates();
  const works = [created, inputs(created), deletes()];

  console.log(`AGENT_RUNS_TEST_SEED=${seed}`);
  const numbers = new Numbers(seed);
  const callers = new Callers(service, works);
  const copies: { file: string; counts: number[] }[] = [];
  for (let cut = 1; cut <= cuts; cut++) {
    await callers.during(service.after(1 + numbers.next(mostMoments)));
    await sleep(numbers.next(6)); // before, during or after what the request writes
    const copy = { file: join(disk.folder, `cut-${cut}.img`), counts: works.map((work) => work.acknowledged()) };
    await callers.during(disk.copyTo(copy.file));
    copies.push(copy);
  }
  await callers.stop();
  await (await service.current).end("SIGTERM");

  for (const [index, { file, counts }] of copies.entries()) {
    using copy = mounted(file, join(disk.folder, `cut-${index + 1}`));
    await using restarted = new KilledService(start(copy.path));
    restarted.apiKey = service.apiKey;
    const acknowledged = works.map(({ name }, which) => `${counts[which]} ${name}`).join(", ");
    console.log(`acknowledged before cut ${index + 1}: ${acknowledged}`);
    for (const [which, work] of works.entries()) await work.check(restarted, counts[which] ?? 0);
  }
  expect(copies.at(-1)?.counts.every((count) => count > 0)).toBe(true);
});

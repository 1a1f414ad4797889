import { randomUUID } from "node:crypto";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { fileText } from "./admin.ts";
import { openLocalPlatform } from "../../src/platform/local/index.ts";
import { type Caller, createRun, finished, newDataDir, read, type RunStatus, startService } from "./service.ts";

const slowInput = "demo: steps=8 delay=60";
const statusAndRoles = ({ loop_status, transcript }: RunStatus) => [loop_status, transcript.map(({ role }) => role)];
const finishedOnce = ["finished", ["input_to_agent", "output_from_agent"]];

test(
  "kill -9 at several points of a run: it resumes after each start and finishes once",
  { timeout: 120_000 },
  async () => {
    const dataDir = newDataDir();
    const first = await startService(dataDir);
    const runId = await createRun(first, {
      input_text: slowInput,
      files: [{ filename: "a.txt", content_base64: Buffer.from("kept across kills").toString("base64") }],
    });
    let service = first;
    let killsWhileRunning = 0;
    for (const delay of [0, 30, 75, 140, 200]) {
      await sleep(delay);
      if ((await read({ ...service, apiKey: first.apiKey }, runId)).loop_status === "running") killsWhileRunning++;
      expect(await service.end("SIGKILL")).toBe("SIGKILL");
      service = await startService(dataDir);
    }
    expect(killsWhileRunning).toBeGreaterThan(1);
    expect(statusAndRoles(await finished({ ...service, apiKey: first.apiKey }, runId))).toEqual(finishedOnce);
    await service.end("SIGTERM");
  },
);

test("kill -9 is an event of the turn that it interrupted; a slow step is none", async () => {
  const dataDir = newDataDir();
  const first = await startService(dataDir);
  const slow = await createRun(first, { input_text: "demo: steps=1 delay=400" });
  expect((await finished(first, slow)).loop_status).toBe("finished");
  const killed = await createRun(first, { input_text: "demo: steps=3 delay=1500" });
  await expect.poll(async () => (await eventsOf(first, killed)).length).toBeGreaterThan(1);
  await first.end("SIGKILL");
  const second = { ...(await startService(dataDir)), apiKey: first.apiKey };
  expect(statusAndRoles(await finished(second, killed))).toEqual(finishedOnce);
  const resumed = (await eventsOf(second, killed)).filter(({ type }) => type === "resumed");
  const instance = expect.stringMatching(/^[\da-f-]{36}$/) as string;
  expect(resumed).toMatchObject([{ turn: 1, reason: "restart", instance }]);
  expect((await eventsOf(second, slow)).map(({ type }) => type)).not.toContain("resumed");
  await second.end("SIGTERM");
});

async function eventsOf({ baseUrl, apiKey }: Caller, runId: string): Promise<{ type: string }[]> {
  const headers = { authorization: `Bearer ${apiKey}` };
  const response = await fetch(`${baseUrl}/ext/v1/runs/${runId}/events?limit=100`, { headers });
  return ((await response.json()) as { data: { type: string }[] }).data;
}

test("kill -9 during 40 creates: every acknowledged run finishes with its input and one output", async () => {
  const dataDir = newDataDir();
  const first = await startService(dataDir);
  const acknowledged: string[] = [];
  const creates = Array.from({ length: 40 }, async (_, i) => {
    await sleep(i * 3);
    await createRun(first, { input_text: `run ${i}` }).then(
      (id) => acknowledged.push(id),
      () => {},
    ); // interrupted by the kill
  });
  await expect.poll(() => acknowledged.length, { timeout: 25_000, interval: 1 }).toBeGreaterThan(4);
  await first.end("SIGKILL");
  await Promise.all(creates);
  expect(acknowledged.length).toBeLessThan(creates.length);
  const second = await startService(dataDir);
  for (const id of acknowledged)
    expect(statusAndRoles(await finished({ ...second, apiKey: first.apiKey }, id))).toEqual(finishedOnce);
  await second.end("SIGTERM");
});

test("SIGINT stops the service at once with exit code 0, and the run resumes at the next start", async () => {
  const dataDir = newDataDir();
  const first = await startService(dataDir);
  const runId = await createRun(first, { input_text: "demo: steps=3 delay=1500" });
  await expect.poll(async () => (await eventsOf(first, runId)).length).toBeGreaterThan(1);
  expect(await first.end("SIGINT")).toBe(0);
  const second = await startService(dataDir);
  expect(statusAndRoles(await finished({ ...second, apiKey: first.apiKey }, runId))).toEqual(finishedOnce);
  const types = (await eventsOf({ ...second, apiKey: first.apiKey }, runId)).map(({ type }) => type);
  expect(types).toContain("resumed"); // the first did not end the turn before it stopped
  await second.end("SIGTERM");
});

test("a start deletes the files of creates that a crash interrupted, and no others", async () => {
  const dataDir = newDataDir();
  const first = await startService(dataDir);
  const runId = await createRun(first, { files: [{ filename: "a.txt", content_base64: "QQ==" }] });
  await first.end("SIGKILL");
  const workspaces = join(dataDir, "workspaces");
  mkdirSync(join(workspaces, randomUUID())); // of an interrupted create
  for (const name of [".partial-1", ".mine"]) writeFileSync(join(workspaces, name), "x");
  for (const name of readdirSync(workspaces)) utimesSync(join(workspaces, name), 1, 1);
  const second = await startService(dataDir);
  await expect.poll(() => readdirSync(workspaces).toSorted()).toEqual([".mine", runId]);
  expect(await fileText(dataDir, runId, "a.txt")).toBe("A");
  await second.end("SIGTERM");
  // Without the database every run looks like an interrupted create.
  renameSync(join(dataDir, "runs.sqlite"), join(dataDir, "saved.sqlite"));
  const third = await startService(dataDir);
  await sleep(300);
  await third.end("SIGTERM");
  expect(readdirSync(join(workspaces, runId))).toHaveLength(1);
});

test("a service whose data directory is removed exits with an error instead of accepting runs that would be lost", async () => {
  const service = await startService();
  let stderr = "";
  service.child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  rmSync(service.dataDir, { recursive: true });
  await expect.poll(() => service.child.exitCode).toBe(1);
  expect(stderr).toMatch(/npm start: the data directory \S+ was removed while the service was running\n$/);
});

test("a failed start prints the reason in one line and exits with 1", async () => {
  const service = await startService();
  const port = new URL(service.baseUrl).port;
  const dataDir = newDataDir();
  await expect(startService(dataDir, ["--port", port])).rejects.toThrow(
    /^the service ended with 1: [^\n]*port \d+ on .* is in use[^\n]*\n$/,
  );
  // The key is shown only once, so a failed start must not create it.
  const stores = openLocalPlatform({ dataDir });
  expect(await stores.accounts.listAgents()).toEqual([]);
  stores.close();
  await expect(startService(service.dataDir)).rejects.toThrow(
    /^the service ended with 1: [^\n]*in use by another server[^\n]*\n$/,
  );
  const damaged = newDataDir();
  const database = join(damaged, "runs.sqlite");
  openLocalPlatform({ dataDir: damaged }).close();
  writeFileSync(database, readFileSync(database).fill("damage", 4_096)); // all but the first page
  await expect(startService(damaged)).rejects.toThrow(
    /^the service ended with 1: [^\n]*cannot use the data directory [^\n]*: [^\n]*malformed[^\n]*\n$/,
  );
  const unlockable = newDataDir();
  writeFileSync(join(unlockable, "server.lock"), "no database".repeat(100));
  await expect(startService(unlockable)).rejects.toThrow(
    /^the service ended with 1: [^\n]*cannot use the data directory [^\n]*: [^\n]*server\.lock[^\n]*\n$/,
  );
  await expect(startService("/dev/null/data")).rejects.toThrow(
    /^the service ended with 1: [^\n]*cannot use the data directory[^\n]*\n$/,
  );
  for (const option of ["--host", "--data-dir"]) {
    await expect(startService(newDataDir(), [option, ""])).rejects.toThrow(`npm start: ${option} is ""; expected`);
  }
  await expect(startService(newDataDir(), ["--port", "x"])).rejects.toThrow(
    /^the service ended with 1: [^\n]*--port is "x"; expected[^\n]*\n$/,
  );
  for (const size of ["0", "201"]) {
    await expect(startService(newDataDir(), ["--max-upload", size])).rejects.toThrow(
      `--max-upload is "${size}"; expected a whole number of MB from 1 to 200`,
    );
  }
  await expect(startService(newDataDir(), ["--nonsense"])).rejects.toThrow(
    /^the service ended with 1: [^\n]*--nonsense[^\n]*\n$/,
  );
  await service.end("SIGTERM");
});

test.skipIf(process.platform === "win32")(
  "data files are private to their owner in a data directory that others can enter",
  async () => {
    const dataDir = newDataDir();
    chmodSync(dataDir, 0o755);
    const service = await startService(dataDir);
    await finished(service, await createRun(service, { input_text: "x" }));
    const readable = readdirSync(dataDir).filter((name) => (statSync(join(dataDir, name)).mode & 0o077) !== 0);
    expect(readable.filter((name) => !name.startsWith("server.lock"))).toEqual([]); // that file is empty
    await service.end("SIGTERM");
  },
);

test.skipIf(process.platform === "win32" || process.getuid?.() === 0)(
  "a workspace directory that is not writable is reported at the start",
  async () => {
    const dataDir = newDataDir();
    await (await startService(dataDir)).end("SIGTERM");
    chmodSync(join(dataDir, "workspaces"), 0o500);
    await expect(startService(dataDir)).rejects.toThrow(/cannot use the data directory [^\n]*: EACCES[^\n]*workspaces/);
  },
);

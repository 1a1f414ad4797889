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
import { describe, expect, test } from "vitest";
import { fileText } from "./admin.ts";
import { openLocalPlatform } from "../../src/platform/local/open-platform.ts";
import { type Caller, createRun, finished, newDataDir, type RunStatus, startService } from "./service.ts";

const statusAndRoles = ({ loop_status, transcript }: RunStatus) => [loop_status, transcript.map(({ role }) => role)];
const finishedOnce = ["finished", ["input_to_agent", "output_from_agent"]];

test.concurrent("kill -9 is an event of the turn that it interrupted; a slow step is none", async ({
  expect: inTest,
}) => {
  const dataDir = newDataDir();
  const first = await startService(dataDir);
  const slow = await createRun(first, { input_text: "demo: steps=1 delay=400" });
  expect((await finished(first, slow)).loop_status).toBe("finished");
  const killed = await createRun(first, { input_text: "demo: steps=3 delay=1500" });
  await inTest.poll(async () => (await eventsOf(first, killed)).length).toBeGreaterThan(1);
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

test.concurrent("SIGINT stops the service at once with exit code 0, and the run resumes at the next start", async ({
  expect: inTest,
}) => {
  const dataDir = newDataDir();
  const first = await startService(dataDir);
  const runId = await createRun(first, { input_text: "demo: steps=3 delay=1500" });
  await inTest.poll(async () => (await eventsOf(first, runId)).length).toBeGreaterThan(1);
  expect(await first.end("SIGINT")).toBe(0);
  const second = await startService(dataDir);
  expect(statusAndRoles(await finished({ ...second, apiKey: first.apiKey }, runId))).toEqual(finishedOnce);
  const types = (await eventsOf({ ...second, apiKey: first.apiKey }, runId)).map(({ type }) => type);
  expect(types).toContain("resumed"); // the first did not end the turn before it stopped
  await second.end("SIGTERM");
});

test.concurrent("a start deletes the files of creates that a crash interrupted, and no others", async ({
  expect: inTest,
}) => {
  const dataDir = newDataDir();
  const first = await startService(dataDir);
  const runId = await createRun(first, { files: [{ filename: "a.txt", content_base64: "QQ==" }] });
  await first.end("SIGKILL");
  const workspaces = join(dataDir, "workspaces");
  mkdirSync(join(workspaces, randomUUID())); // of an interrupted create
  for (const name of [".partial-1", ".mine"]) writeFileSync(join(workspaces, name), "x");
  for (const name of readdirSync(workspaces)) utimesSync(join(workspaces, name), 1, 1);
  const second = await startService(dataDir);
  await inTest.poll(() => readdirSync(workspaces).toSorted()).toEqual([".mine", runId]);
  expect(await fileText(dataDir, runId, "a.txt")).toBe("A");
  await second.end("SIGTERM");
  // Without the database every run looks like an interrupted create.
  renameSync(join(dataDir, "runs.sqlite"), join(dataDir, "saved.sqlite"));
  const third = await startService(dataDir);
  await sleep(300);
  await third.end("SIGTERM");
  expect(readdirSync(join(workspaces, runId))).toHaveLength(1);
});

test.concurrent("a service whose data directory is removed exits with an error instead of accepting runs that would be lost", async ({
  expect: inTest,
}) => {
  const service = await startService();
  let stderr = "";
  service.child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  rmSync(service.dataDir, { recursive: true });
  await inTest.poll(() => service.child.exitCode).toBe(1);
  expect(stderr).toMatch(/npm start: the data directory \S+ was removed while the service was running\n$/);
});

const lineWith = (reason: string) => new RegExp(`^the service ended with 1: [^\\n]*${reason}[^\\n]*\\n$`);
/** A data directory with one file. */
function directoryWith(name: string, content: string | Buffer): string {
  const dataDir = newDataDir();
  writeFileSync(join(dataDir, name), content);
  return dataDir;
}

describe("a failed start prints the reason in one line and exits with 1:", () => {
  test("the port or the data directory is in use", async () => {
    await using service = await startService();
    const { port } = new URL(service.baseUrl);
    const dataDir = newDataDir();
    await expect(startService(dataDir, ["--port", port])).rejects.toThrow(lineWith("port \\d+ on .* is in use"));
    // The key is shown only once, so a failed start must not create it.
    const stores = openLocalPlatform({ dataDir });
    expect(await stores.accounts.listAgents()).toEqual([]);
    stores.close();
    await expect(startService(service.dataDir)).rejects.toThrow(lineWith("in use by another server"));
  });

  test.concurrent("the data directory cannot be used", async () => {
    const damaged = newDataDir();
    const database = join(damaged, "runs.sqlite");
    openLocalPlatform({ dataDir: damaged }).close();
    writeFileSync(database, readFileSync(database).fill("damage", 4_096)); // all but the first page
    const unlockable = directoryWith("server.lock", "no database".repeat(100));
    const unusable = "cannot use the data directory";
    await Promise.all([
      expect(startService(damaged)).rejects.toThrow(lineWith(`${unusable} [^\\n]*: [^\\n]*malformed`)),
      expect(startService(unlockable)).rejects.toThrow(lineWith(`${unusable} [^\\n]*: [^\\n]*server\\.lock`)),
      expect(startService("/dev/null/data")).rejects.toThrow(lineWith(unusable)),
    ]);
  });

  test.concurrent.each([
    [["--host", ""], '--host is ""; expected'],
    [["--data-dir", ""], '--data-dir is ""; expected'],
    [["--port", "x"], '--port is "x"; expected'],
    [["--max-upload", "0"], '--max-upload is "0"; expected a whole number of MB from 1 to 200'],
    [["--max-upload", "201"], '--max-upload is "201"; expected a whole number of MB from 1 to 200'],
    [["--nonsense"], "--nonsense"],
  ])("%j", async (options, reason) => {
    await expect(startService(newDataDir(), options)).rejects.toThrow(lineWith(reason));
  });
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

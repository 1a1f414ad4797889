import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { readiness } from "../../src/platform/local/process/readiness.ts";
import { openDatabase } from "../../src/platform/local/database/sqlite.ts";
import { create, newDataDir, startService } from "./service.ts";

const ask = async (baseUrl: string, method = "GET"): Promise<[number, string]> => {
  const response = await fetch(`${baseUrl}/healthz`, { method });
  return [response.status, await response.text()];
};
const ready = [200, '{"status":"ready"}'];
const unavailable = (reason: string) => [503, JSON.stringify({ status: "unavailable", reason })];

/** Keeps the database locked, as a backup program may, until disposal. */
function locked(dataDir: string): Disposable {
  const database = new DatabaseSync(join(dataDir, "runs.sqlite"), { timeout: 30_000 }); // the service may write now
  database.exec("BEGIN IMMEDIATE");
  return { [Symbol.dispose]: () => database.close() };
}

test("answers without a key, to GET and HEAD only", async () => {
  await using service = await startService();
  expect(await ask(service.baseUrl)).toEqual(ready);
  expect(await ask(service.baseUrl, "HEAD")).toEqual([200, ""]);
  const refused = await fetch(`${service.baseUrl}/healthz`, { method: "POST", body: "x" });
  expect([refused.status, refused.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
});

test("is 503 after a write that the database refused, and ready when it takes writes again without a request", async () => {
  await using service = await startService();
  {
    using _ = locked(service.dataDir);
    expect((await create(service, { input_text: "Hello" })).ok).toBe(false);
    const reason = "The database rejected the last write: its disk is full, or another process keeps it locked.";
    expect(await ask(service.baseUrl)).toEqual(unavailable(reason));
  }
  await expect.poll(() => ask(service.baseUrl), { timeout: 20_000 }).toEqual(ready);
});

test("names a data directory that cannot be written, without its path", async () => {
  const database = openDatabase(join(newDataDir(), "runs.sqlite"));
  const problem = readiness(database, "/no/such/directory");
  expect(await problem()).toBe("The data directory cannot be written (ENOENT).");
  database.close();
  expect(await readiness(openDatabase(join(newDataDir(), "runs.sqlite")), newDataDir())()).toBeUndefined();
});

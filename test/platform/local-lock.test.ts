import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { StoreUnavailable } from "../../src/errors.ts";
import { openLocalPlatform } from "../../src/platform/local/open-platform.ts";
import { fastClock } from "../support/fast-clock.ts";
import { temporaryStores } from "../support/temporary-stores.ts";

const organization = (name: string) => ({ id: name, name });

test("a write fails with StoreUnavailable while another process locks the database and succeeds afterwards", async () => {
  using _clock = fastClock();
  using stores = temporaryStores();
  const other = new DatabaseSync(join(stores.dataDir, "runs.sqlite"));
  other.exec("BEGIN IMMEDIATE");
  await expect(stores.accounts.createOrganization(organization("one"))).rejects.toThrow(StoreUnavailable);
  other.exec("ROLLBACK");
  await stores.accounts.createOrganization(organization("two"));
  expect(await stores.accounts.listOrganizations()).toEqual([organization("two")]);
  other.close();
});

test("reads succeed while another process writes, and writes wait in order", async () => {
  using stores = temporaryStores();
  using other = new DatabaseSync(join(stores.dataDir, "runs.sqlite"));
  await stores.accounts.createOrganization(organization("before"));
  const found = async () => (await stores.accounts.listOrganizations()).map(({ name }) => name).toSorted();

  other.exec("BEGIN IMMEDIATE");
  const written: string[] = [];
  const writes = ["first", "second"].map(async (name) => {
    await stores.accounts.createOrganization(organization(name));
    written.push(name);
  });
  await setTimeout(50);
  writes.push(stores.accounts.createOrganization(organization("last")).then(() => void written.push("last")));
  await setTimeout(50);
  expect({ found: await found(), written }).toEqual({ found: ["before"], written: [] });

  other.exec("ROLLBACK");
  await Promise.all(writes);
  const inOrder = ["first", "second", "last"];
  expect({ found: await found(), written }).toEqual({ found: ["before", "first", "last", "second"], written: inOrder });
});

test("closing the database completes the writes that wait for another process", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "agent-runs-"));
  const stores = openLocalPlatform({ dataDir });
  const file = join(dataDir, "runs.sqlite");
  const other = new DatabaseSync(file);
  other.exec("BEGIN IMMEDIATE");
  const written = stores.accounts.createOrganization(organization("late"));
  await setTimeout(50);
  other.close();
  stores.close();
  await written;
  const reopened = openLocalPlatform({ dataDir });
  expect(await reopened.accounts.listOrganizations()).toHaveLength(1);
  reopened.close();
  rmSync(dataDir, { recursive: true });
});

test.skipIf(process.platform !== "linux")("a data directory that cannot be created is rejected at once", () => {
  expect(() => openLocalPlatform({ dataDir: "/proc/data/dir" })).toThrow("mkdir '/proc/data'");
});

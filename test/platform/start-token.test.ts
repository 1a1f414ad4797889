import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { authenticateOperator, listOperators, revokeOperator } from "../../src/accounts/operators.ts";
import { lockDataDir, isLocked } from "../../src/platform/local/process/data-dir-lock.ts";
import { findServerAddress, saveServerAddress } from "../../src/platform/local/process/server-address.ts";
import { startToken } from "../../src/platform/local/process/start-token.ts";
import { temporaryStores } from "../support/temporary-stores.ts";

const { dataDir, accounts, ...stores } = temporaryStores();
afterAll(() => stores[Symbol.dispose]());
const file = join(dataDir, "console-token");
const start = () => startToken(accounts, dataDir, "npm start");
const isAccepted = (token: string): Promise<boolean> =>
  authenticateOperator(accounts, token).then(
    () => true,
    () => false,
  );

test("each start has the same token, in a file of its owner, until it is revoked", async () => {
  const first = await start();
  expect(await authenticateOperator(accounts, first)).toMatchObject({ name: "npm start", role: "operator" });
  expect([await start(), await start()]).toEqual([first, first]);
  expect(await listOperators(accounts)).toHaveLength(1);
  expect(readFileSync(file, "utf8")).toBe(`${first}\n`);
  if (process.platform !== "win32") expect(statSync(file).mode & 0o777).toBe(0o600);

  await revokeOperator(accounts, first);
  const second = await start();
  expect([second === first, await isAccepted(first), await isAccepted(second)]).toEqual([false, false, true]);
  const audit = await accounts.listAudit({ since: 0, limit: 10 });
  expect(audit.map(({ actor, action }) => `${actor} ${action}`)).toEqual([
    "npm start operator.create",
    "npm start operator.create",
  ]);
});

test.skipIf(process.platform === "win32")("a token that other users could read is replaced", async () => {
  const before = await start();
  chmodSync(file, 0o644);
  const after = await start();
  expect([await isAccepted(before), await isAccepted(after)]).toEqual([false, true]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test.each(["", "not a token", `ao_${"0".repeat(49)}`])("a file with %j is replaced", async (content) => {
  writeFileSync(file, content);
  const token = await start();
  expect(await isAccepted(token)).toBe(true);
  expect(await start()).toBe(token);
});

test("the address of a server is known while it holds the lock of the data directory", () => {
  expect(isLocked(dataDir)).toBe(false);
  saveServerAddress(dataDir, "http://127.0.0.1:1");
  expect(findServerAddress(dataDir)).toBeUndefined(); // left by a server that was killed
  expect(lockDataDir(dataDir)).toBe(true);
  expect(isLocked(dataDir)).toBe(true);
  expect(findServerAddress(dataDir)).toBe("http://127.0.0.1:1");
  saveServerAddress(dataDir, "http://[::1]:2");
  expect(findServerAddress(dataDir)).toBe("http://[::1]:2");
});

import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

// Limits of a process, each in one of its own.

const overfilling = `
  import { openLocalPlatform } from "./src/platform/local/open-platform.ts";
  const { accounts } = openLocalPlatform({ dataDir: process.argv[1] });
  const put = () => accounts.createOrganization({ id: crypto.randomUUID(), name: "Organization".repeat(10_000) });
  for (;;) await put().catch(({ name, message }) => {
    console.log(name + ": " + message);
    process.exit();
  });
`;

test.skipIf(process.platform === "win32")("an exhausted disk quota is reported as a full disk", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "quota-"));
  const limited = 'ulimit -f 3000 && exec "$0" --input-type=module -e "$1" "$2"'; // limits the size of a file
  const child = spawnSync("sh", ["-c", limited, process.execPath, overfilling, dataDir], { encoding: "utf8" });
  expect([child.stderr, child.stdout]).toEqual(["", "StoreUnavailable: the database's disk is full\n"]);
});

const overflowing = `
  import { readdirSync } from "node:fs";
  import { openLocalPlatform } from "./src/platform/local/open-platform.ts";
  const dataDir = process.argv[1];
  const { pendingUploads } = openLocalPlatform({ dataDir });
  for (const chunks of [64, 1]) {
    const content = ReadableStream.from(Array.from({ length: chunks }, () => Buffer.alloc(65_536)));
    const received = pendingUploads.receive({ id: "U" }, content);
    const outcome = await received.then(() => "stored", ({ name, message }) => name + ": " + message);
    console.log(outcome, readdirSync(dataDir + "/pending-uploads").join());
  }
  process.exit();
`;

test.skipIf(process.platform === "win32")("an upload that does not fit on the disk leaves no file", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "quota-"));
  const limited = 'ulimit -f 3000 && exec "$0" --input-type=module -e "$1" "$2"'; // 1.5 MB for each file
  const child = spawnSync("sh", ["-c", limited, process.execPath, overflowing, dataDir], { encoding: "utf8" });
  const full = "StoreUnavailable: the disk of the workspaces is full \n";
  expect([child.stderr, child.stdout]).toEqual(["", `${full}stored U\n`]);
});

const exhausting = `
  import { openSync, closeSync } from "node:fs";
  import { openLocalPlatform } from "./src/platform/local/open-platform.ts";
  const { workspace } = openLocalPlatform({ dataDir: process.argv[1] });
  const [a, b] = ["a", "b"].map((letter) => ({ sha256: letter.repeat(64), content: Buffer.from(letter) }));
  await workspace.write("run", [a]);
  const held = [];
  try { for (;;) held.push(openSync("/dev/null")); } catch {}
  const tried = [workspace.read("run", a.sha256), workspace.link("run", "other", [a.sha256]), workspace.write("run", [b])];
  const outcomes = (await Promise.allSettled(tried)).map(({ reason }) => reason?.name);
  held.forEach(closeSync);
  console.log(JSON.stringify([...outcomes, String(await workspace.read("run", a.sha256))]));
`;

test.skipIf(process.platform === "win32")(
  "a process without free file descriptors fails with StoreUnavailable and recovers",
  () => {
    const dataDir = mkdtempSync(join(tmpdir(), "exhausted-"));
    const limited = 'ulimit -n 64 && exec "$0" --input-type=module -e "$1" "$2"';
    const child = spawnSync("sh", ["-c", limited, process.execPath, exhausting, dataDir], { encoding: "utf8" });
    expect([child.stderr, child.stdout]).toEqual([
      "",
      `${JSON.stringify([...Array(3).fill("StoreUnavailable"), "a"])}\n`,
    ]);
  },
);

import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, describe, expect, test } from "vitest";
import { type HttpServer, httpServer } from "../support/http-server.ts";
import { StoreUnavailable } from "../../src/errors.ts";
import { openLocalStores } from "../../src/platform/local/index.ts";
import { type Runner, startRunner } from "../../src/platform/local/workflow.ts";
import { describeAccounts } from "./accounts.contract.ts";
import { describeRuns } from "./runs.contract.ts";
import { describeWorkflow, type WorkflowHarness } from "./workflow.contract.ts";
import { describeWorkspace } from "./workspace.contract.ts";
import { temporaryStores } from "../support/temporary-stores.ts";

describe("stores of one machine", () => {
  const stores = temporaryStores();
  let server: HttpServer | undefined;
  let runner: Runner | undefined;
  afterAll(async () => {
    await runner?.close();
    await server?.close();
    stores[Symbol.dispose]();
  });

  describeAccounts(async () => stores.accounts);
  describeRuns(async () => stores.runs);
  describeWorkspace(async () => stores.workspace);

  /** Work on a turn is a request to a model that never answers; what is open at the model is being worked on. */
  describeWorkflow(async (): Promise<WorkflowHarness> => {
    const requests: { body: string; open: boolean }[] = [];
    server = await httpServer((request, response) => {
      void text(request).then((body) => {
        const seen = { body, open: true };
        requests.push(seen);
        response.on("close", () => (seen.open = false));
      });
    });
    const baseUrl = `${server.url}/v1`;

    const organizationId = randomUUID();
    const agentId = randomUUID();
    await stores.accounts.createOrganization({
      id: organizationId,
      name: "Organization",
      model: { provider: "openai-compatible", enabled: true, baseUrl, model: "silent" },
    });
    await stores.accounts.createAgent({
      id: agentId,
      organizationId,
      name: "Agent",
      instructions: "",
      tools: [],
      limits: { steps: 5, tokens: 10_000, seconds: 600 },
      status: "active",
    });
    runner = startRunner({ ...stores, now: Date.now, secretOf: async () => undefined });

    const requestsOf = (runId: string, turn: number) =>
      requests.filter(({ body }) => body.includes(inputOf(runId, turn)));
    return {
      workflow: runner,
      begun: async (runId, turn) => requestsOf(runId, turn).length,
      atWork: async (runId, turn) => requestsOf(runId, turn).filter(({ open }) => open).length,
      async newRun() {
        const id = randomUUID();
        const now = Date.now();
        await stores.runs.create(
          { id, agentId, organizationId, name: "Run", status: "running", turn: 1, createdAt: now, updatedAt: now },
          [{ turn: 1, role: "input_to_agent", text: inputOf(id, 1) }],
        );
        return id;
      },
    };
  });
});

test("a database without room to grow is unavailable, and works again when there is room", async () => {
  using stores = temporaryStores();
  const { db } = stores.database;
  const organization = { id: randomUUID(), name: "Organization".repeat(10_000) };
  db.exec("PRAGMA max_page_count = 1"); // no more than there are
  await expect(stores.accounts.createOrganization(organization)).rejects.toThrow(StoreUnavailable);
  db.exec("PRAGMA max_page_count = 4294967294");
  await stores.accounts.createOrganization(organization);
});

test("without room to record an answer, no run can be claimed: its answer would be paid for again and again", async () => {
  using stores = temporaryStores();
  const { db } = stores.database;
  const runId = randomUUID();
  const run = { id: runId, agentId: "a", organizationId: "o", name: "Run", turn: 1, createdAt: 1, updatedAt: 1 };
  await stores.runs.create({ ...run, status: "running" }, [{ turn: 1, role: "input_to_agent", text: "" }]);
  const claim = () => stores.runs.claim({ runId, owner: "a", now: 1, until: 2 });
  expect(await claim()).toBeDefined();
  db.exec("PRAGMA max_page_count = 1"); // no more than there are
  const big = stores.accounts.createOrganization({ id: randomUUID(), name: "Organization".repeat(10_000) });
  await expect(big).rejects.toThrow(StoreUnavailable);
  for (let again = 0; again < 3; again++) await expect(claim()).rejects.toThrow(StoreUnavailable);
  db.exec("PRAGMA max_page_count = 4294967294");
  expect(await claim()).toBeDefined();
  expect(db.prepare("SELECT count(*) AS rows FROM summaries").get()).toEqual({ rows: 0 });
});

test("the log is lengthened once, without a trace in the database, and not where it can't be", async () => {
  using stores = temporaryStores();
  const { database } = stores;
  const { db } = database;
  const file = join(stores.dataDir, "runs.sqlite");
  const lengths = () => [file, `${file}-wal`].map((name) => statSync(name).size);
  const organization = { id: randomUUID(), name: "Organization" };
  await stores.accounts.createOrganization(organization);
  const pages = db.prepare("PRAGMA page_count").get();

  db.exec("PRAGMA max_page_count = 1"); // no more than there are
  database.reserveLog();
  db.exec("PRAGMA max_page_count = 4294967294");
  expect(lengths()[1]).toBeLessThan(1_000_000);

  database.reserveLog();
  const reserved = lengths();
  expect(reserved[1]).toBeGreaterThan(16_000_000);
  database.reserveLog();
  await stores.accounts.createOrganization({ ...organization, name: "Renamed" });
  expect(lengths()).toEqual(reserved);
  expect(db.prepare("PRAGMA page_count").get()).toEqual(pages);
  expect(db.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });

  // What a killed server leaves.
  const left = join(stores.dataDir, "left");
  mkdirSync(left);
  for (const name of ["runs.sqlite", "runs.sqlite-wal"]) copyFileSync(join(stores.dataDir, name), join(left, name));
  const after = openLocalStores({ dataDir: left });
  expect(await after.accounts.findOrganization(organization.id)).toMatchObject({ name: "Renamed" });
  expect(after.database.db.prepare("SELECT name FROM sqlite_schema WHERE name = 'zeros'").get()).toBeUndefined();
  after.close();
});

test("a failed write of files leaves no temporary file", async () => {
  using stores = temporaryStores();
  const { workspace } = stores;
  const id = randomUUID();
  const file = { name: "a.txt", content: Buffer.from("a") };
  const tooLong = { name: "a".repeat(300), content: Buffer.from("b") };
  await workspace.write(id, [file]);
  await expect(workspace.write(id, [tooLong])).rejects.toThrow(/ENAMETOOLONG|ENOENT/);
  expect(readdirSync(join(stores.dataDir, "workspaces"))).toEqual([id]);
  expect(readdirSync(join(stores.dataDir, "workspaces", id))).toEqual(["a.txt"]);
});

const overfilling = `
  import { openLocalStores } from "./src/platform/local/index.ts";
  const { accounts } = openLocalStores({ dataDir: process.argv[1] });
  const put = () => accounts.createOrganization({ id: crypto.randomUUID(), name: "Organization".repeat(10_000) });
  for (;;) await put().catch(({ name, message }) => {
    console.log(name + ": " + message);
    process.exit();
  });
`;

test.skipIf(process.platform === "win32")("a quota that is used up is a full disk, for the database too", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "quota-"));
  const limited = 'ulimit -f 3000 && exec "$0" --input-type=module -e "$1" "$2"'; // a limit of each file's size
  const child = spawnSync("sh", ["-c", limited, process.execPath, overfilling, dataDir], { encoding: "utf8" });
  expect([child.stderr, child.stdout]).toEqual(["", "StoreUnavailable: the database's disk is full\n"]);
});

const exhausting = `
  import { openSync, closeSync } from "node:fs";
  import { openLocalStores } from "./src/platform/local/index.ts";
  const { workspace } = openLocalStores({ dataDir: process.argv[1] });
  const files = [{ name: "a.txt", content: Buffer.from("a") }];
  await workspace.write("run", files);
  const held = [];
  try { for (;;) held.push(openSync("/dev/null")); } catch {}
  const tried = [workspace.read("run", "a.txt"), workspace.list("run"), workspace.write("run", files)];
  const outcomes = (await Promise.allSettled(tried)).map(({ reason }) => reason?.name);
  held.forEach(closeSync);
  console.log(JSON.stringify([...outcomes, String(await workspace.read("run", "a.txt"))]));
`;

test.skipIf(process.platform === "win32")("a process that can open no more files is an outage, which passes", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "exhausted-"));
  const limited = 'ulimit -n 64 && exec "$0" --input-type=module -e "$1" "$2"';
  const child = spawnSync("sh", ["-c", limited, process.execPath, exhausting, dataDir], { encoding: "utf8" });
  expect([child.stderr, child.stdout]).toEqual([
    "",
    `${JSON.stringify([...Array(3).fill("StoreUnavailable"), "a"])}\n`,
  ]);
});

test("what a damaged database still holds can be read, and what it lost is an error of the one who asks", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "damaged-"));
  const file = join(dataDir, "runs.sqlite");
  const before = openLocalStores({ dataDir });
  const ids = Array.from({ length: 20 }, () => randomUUID());
  for (const id of ids) {
    const run = { id, agentId: "a", organizationId: "o", name: "Run", turn: 1, createdAt: 1, updatedAt: 1 };
    const long = id.repeat(200); // two pages
    await before.runs.create({ ...run, status: "running" }, [{ turn: 1, role: "input_to_agent", text: long }]);
  }
  before.close();
  const content = readFileSync(file);
  writeFileSync(file, content.fill(0xff, content.length / 2));

  const { runs, accounts, database } = openLocalStores({ dataDir });
  const reads = [];
  for (const id of ids) {
    reads.push(await runs.read(id).then((found) => found?.transcript[0]?.text === id.repeat(200), String));
    await new Promise(setImmediate); // each has a transaction of its own
  }
  expect(reads).toContain("Error: database disk image is malformed");
  expect(await accounts.listOrganizations()).toEqual([]);
  database.close();
  rmSync(dataDir, { recursive: true });
});

/** Names run and turn, so that a request to the model tells them. */
function inputOf(runId: string, turn: number): string {
  return `run ${runId}, turn ${turn}`;
}

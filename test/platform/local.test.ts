import { randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, describe, expect, test } from "vitest";
import { type HttpServer, httpServer } from "../support/http-server.ts";
import { StoreUnavailable } from "../../src/errors.ts";
import type { PendingUpload } from "../../src/runs/ports.ts";
import { type LocalPlatform, openLocalPlatform } from "../../src/platform/local/open-platform.ts";
import { type Runner, startRunner } from "../../src/platform/local/workflow.ts";
import { storeFile } from "../../src/platform/local/workspace.ts";
import { localConfigurations } from "../../src/platform/local/configurations.ts";
import { describeAccounts } from "./accounts.contract.ts";
import { describeDeliveryStore } from "./deliveries.contract.ts";
import { describeEndedCredentials } from "./ended-credentials.contract.ts";
import { describeConfigurations } from "./configurations.contract.ts";
import { describeLargeWorkspaces } from "./large-workspaces.contract.ts";
import { describeOrganizationExport } from "./organization-export.contract.ts";
import { describeOrganizationDeletion } from "./organization-deletion.contract.ts";
import { describePendingUploads, newUpload } from "./pending-uploads.contract.ts";
import { describeRuns } from "./runs.contract.ts";
import { describeForks } from "./forks.contract.ts";
import { describeImports } from "./imports.contract.ts";
import { describeTrials } from "./trials.contract.ts";
import { describeWorkflow, type WorkflowHarness } from "./workflow.contract.ts";
import { describeWorkspace } from "./workspace.contract.ts";
import { firstMessages, input, newRun } from "./run-fixtures.ts";
import { temporaryStores } from "../support/temporary-stores.ts";

describe("local platform", () => {
  const stores = temporaryStores();
  let server: HttpServer | undefined;
  let runner: Runner | undefined;
  afterAll(async () => {
    await runner?.close();
    await server?.close();
    stores[Symbol.dispose]();
  });

  describeTrials(async () => stores);
  describeForks(stores);
  describeImports(stores);
  describeAccounts(async () => stores.accounts);
  describeEndedCredentials(async () => stores, {
    receive: stores.pendingUploads.receive,
    send: stores.workspace.send,
  });
  describeDeliveryStore(async () => stores);
  describeConfigurations(async () => localConfigurations(stores.database));
  describeRuns(async () => stores);
  describeLargeWorkspaces(restartingStores());
  describePendingUploads(async () => ({ ...stores, send: (...sent) => send(stores, ...sent) }));
  const reopenConfigurations = () => localConfigurations(stores.database);
  describeOrganizationExport({ ...stores });
  describeOrganizationDeletion({ ...stores }, reopenConfigurations, (upload, content) => send(stores, upload, content));
  describeWorkspace(async () => {
    const folderOf = (runId: string): string => join(stores.dataDir, "workspaces", runId);
    return {
      workspace: stores.workspace,
      storedIn: async (runId) => (existsSync(folderOf(runId)) ? readdirSync(folderOf(runId)).length : 0),
    };
  });

  /** A turn in progress is an open request to a model that never responds. */
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
          newRun({ id, agentId, organizationId, createdAt: now, updatedAt: now }),
          firstMessages(input(1, inputOf(id, 1))),
        );
        return id;
      },
    };
  });
});

/** Returns a function that closes the stores, if they are open, and opens them again. */
function restartingStores(): () => Promise<LocalPlatform> {
  const dataDir = mkdtempSync(join(tmpdir(), "agent-runs-"));
  let open: LocalPlatform | undefined;
  afterAll(() => {
    open?.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  return async () => {
    open?.close();
    return (open = openLocalPlatform({ dataDir }));
  };
}

async function send(
  { pendingUploads }: Pick<ReturnType<typeof temporaryStores>, "pendingUploads">,
  upload: PendingUpload,
  ...chunks: Uint8Array[]
): Promise<void> {
  await pendingUploads.receive(upload, ReadableStream.from(chunks));
}

test("an upload that is cut off leaves no file, and keeps an earlier content", async () => {
  using stores = temporaryStores();
  const { pendingUploads, dataDir } = stores;
  const content = Buffer.from("whole");
  const upload = newUpload(content);
  await pendingUploads.add(upload, { organizationId: "O" });
  async function* cut(): AsyncIterable<Uint8Array> {
    yield content.subarray(0, 2);
    throw new Error("the client disconnected");
  }
  await expect(pendingUploads.receive(upload, cut())).rejects.toThrow("the client disconnected");
  expect(readdirSync(join(dataDir, "pending-uploads"))).toEqual([]);
  expect(await pendingUploads.copyTo("R", upload)).toBe(false);
  await send(stores, upload, content);
  await expect(pendingUploads.receive(upload, cut())).rejects.toThrow("the client disconnected");
  expect(await pendingUploads.copyTo("R", upload)).toBe(true);
  expect(String(await stores.workspace.read("R", upload.sha256))).toBe("whole");
});

const otherFileSystem = ["/dev/shm", "/tmp"].find(
  (folder) => existsSync(folder) && statSync(folder).dev !== statSync(tmpdir()).dev,
);

test.skipIf(!otherFileSystem)("a content that cannot be linked is copied", async () => {
  const [root, other] = [tmpdir(), otherFileSystem ?? ""].map((folder) => mkdtempSync(join(folder, "files-")));
  if (root === undefined || other === undefined) throw new Error("no directories");
  const file = join(other, "content");
  const sha256 = "a".repeat(64);
  writeFileSync(file, "content");
  for (let again = 0; again < 2; again++) await storeFile(root, "run", sha256, file);
  rmSync(other, { recursive: true });
  expect(readdirSync(root)).toEqual(["run"]);
  expect(readFileSync(join(root, "run", `.sha256-${sha256}`), "utf8")).toBe("content");
  rmSync(root, { recursive: true });
});

test("uploads are removed an hour after they expire, with files that no upload has; runs keep their contents", async () => {
  using stores = temporaryStores();
  const { pendingUploads, dataDir } = stores;
  const hour = 3_600_000;
  const now = Date.now() + 10 * hour;
  const content = Buffer.from("x");
  const [old, recent] = [now - hour - 1, now - hour].map((expiresAt) => newUpload(content, { expiresAt }));
  if (!old || !recent) throw new Error("no uploads");
  for (const upload of [old, recent]) {
    await pendingUploads.add(upload, { organizationId: "O" });
    await send(stores, upload, content);
  }
  await pendingUploads.copyTo("R", old);
  const root = join(dataDir, "pending-uploads");
  for (const name of [randomUUID(), `.partial-${randomUUID()}`]) writeFileSync(join(root, name), "left by a crash");
  await pendingUploads.removeExpired(Date.now()); // written to within the hour: they may be in use
  expect(readdirSync(root)).toHaveLength(4);
  await pendingUploads.removeExpired(now);
  expect(readdirSync(root)).toEqual([recent.id]);
  expect([await pendingUploads.find(old.id), await pendingUploads.find(recent.id)]).toEqual([undefined, recent]);
  expect(await pendingUploads.copyTo("S", old)).toBe(false);
  expect(String(await stores.workspace.read("R", old.sha256))).toBe("x");
});

test("a write to a full disk fails with StoreUnavailable and succeeds when there is space", async () => {
  using stores = temporaryStores();
  const { db } = stores.database;
  const organization = { id: randomUUID(), name: "Organization".repeat(10_000) };
  db.exec("PRAGMA max_page_count = 1"); // no page more than now
  await expect(stores.accounts.createOrganization(organization)).rejects.toThrow(StoreUnavailable);
  db.exec("PRAGMA max_page_count = 4294967294");
  await stores.accounts.createOrganization(organization);
});

test("a run cannot be claimed while the disk is full: its model response could not be written", async () => {
  using stores = temporaryStores();
  const { db } = stores.database;
  const runId = randomUUID();
  await stores.runs.create(newRun({ id: runId }), firstMessages(input(1, "")));
  const claim = () => stores.runs.claim({ runId, owner: "a", now: 1, until: 2 });
  expect(await claim()).toBeDefined();
  db.exec("PRAGMA max_page_count = 1"); // no page more than now
  const big = stores.accounts.createOrganization({ id: randomUUID(), name: "Organization".repeat(10_000) });
  await expect(big).rejects.toThrow(StoreUnavailable);
  for (let again = 0; again < 3; again++) await expect(claim()).rejects.toThrow(StoreUnavailable);
  db.exec("PRAGMA max_page_count = 4294967294");
  expect(await claim()).toBeDefined();
  expect(db.prepare("SELECT count(*) AS rows FROM summaries").get()).toEqual({ rows: 0 });
});

test("the write-ahead log is extended once, leaves no trace in the database, and fails silently", async () => {
  using stores = temporaryStores();
  const { database } = stores;
  const { db } = database;
  const file = join(stores.dataDir, "runs.sqlite");
  const sizes = () => [file, `${file}-wal`].map((name) => statSync(name).size);
  await stores.accounts.createOrganization({ id: randomUUID(), name: "First" });
  const pages = db.prepare("PRAGMA page_count").get();

  db.exec("PRAGMA max_page_count = 1"); // the database is full
  database.preallocateLog();
  db.exec("PRAGMA max_page_count = 4294967294");
  expect(sizes()[1]).toBeLessThan(1_000_000);

  database.preallocateLog();
  const extended = sizes();
  expect(extended[1]).toBeGreaterThan(16_000_000);
  database.preallocateLog();
  await stores.accounts.createOrganization({ id: randomUUID(), name: "Second" });
  expect(sizes()).toEqual(extended);
  expect(db.prepare("PRAGMA page_count").get()).toEqual(pages);
  expect(db.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
});

test("a failed write of files leaves no temporary file", async () => {
  using stores = temporaryStores();
  const { workspace } = stores;
  const id = randomUUID();
  const [a, b] = ["a".repeat(64), "b".repeat(64)];
  await workspace.write(id, [{ sha256: a, content: Buffer.from("a") }]);
  const unwritable = { sha256: b, content: 7 as unknown as Uint8Array };
  await expect(workspace.write(id, [unwritable])).rejects.toThrow(TypeError);
  expect(readdirSync(join(stores.dataDir, "workspaces"))).toEqual([id]);
  expect(readdirSync(join(stores.dataDir, "workspaces", id))).toEqual([`.sha256-${a}`]);
});

test("a damaged database serves intact pages and rejects reads of damaged ones", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "damaged-"));
  const file = join(dataDir, "runs.sqlite");
  const before = openLocalPlatform({ dataDir });
  const ids = Array.from({ length: 40 }, () => randomUUID()); // more pages than the schema
  for (const id of ids) {
    const long = id.repeat(200); // two pages
    await before.runs.create(newRun({ id }), firstMessages(input(1, long)));
  }
  before.close();
  const content = readFileSync(file);
  writeFileSync(file, content.fill(0xff, content.length / 2));

  const { runs, accounts, database } = openLocalPlatform({ dataDir });
  const reads = [];
  for (const id of ids) {
    reads.push(await runs.read(id).then((found) => found?.transcript[0]?.text === id.repeat(200), String));
    await new Promise(setImmediate); // one transaction per read
  }
  expect(reads).toContain("Error: database disk image is malformed");
  expect(await accounts.listOrganizations()).toEqual([]);
  database.close();
  rmSync(dataDir, { recursive: true });
});

/** An input that identifies run and turn in the requests to the model. */
function inputOf(runId: string, turn: number): string {
  return `run ${runId}, turn ${turn}`;
}

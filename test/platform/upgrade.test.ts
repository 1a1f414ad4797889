import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { authenticate } from "../../src/accounts/authenticate.ts";
import { authenticateOperator, createOperator, listOperators, revokeOperator } from "../../src/accounts/operators.ts";
import { openLocalPlatform } from "../../src/platform/local/index.ts";
import { startRunner } from "../../src/platform/local/workflow.ts";
import { eventsOf, journalOf } from "../../src/runs/read/list-events.ts";
import { rebuildRequest } from "../../src/runs/read/rebuild-request.ts";
import type { Runs } from "../../src/runs/ports.ts";
import { listRunFiles, readRunFile } from "../../src/runs/files/read-files.ts";
import { readRun } from "../../src/runs/read/read-run.ts";
import type { RunEvent } from "../../src/runs/types.ts";
import { messageIdOf } from "../support/delivery-rules.ts";
import { firstMessages, input, newRun, onTurn } from "./run-fixtures.ts";

// The data directory of an earlier version: two finished runs, and one that was killed after two steps.
const key = "ak_XchWZFiUwVfV0o6GQIod6VKQ4DR8Y3AXOSHBEPiX8Nk0bAfPi";
const [finished, withFile, killed] = [
  "415e58ca-81fd-458b-bb44-0b10ce11f51e",
  "86fb92d8-f660-4d8b-a1a6-bc65f4ed031b",
  "041a37be-b797-4806-b9d6-fc99a540ab21",
] as const;

let dataDir: string;
beforeEach(() => {
  dataDir = restored("data-dir-v2/");
});
afterEach(() => rmSync(dataDir, { recursive: true }));

test("runs of an earlier version are read with their API key", async () => {
  const platform = openLocalPlatform({ dataDir });
  const read = (id: string) => readRun(platform, authenticate(platform, key), id);
  expect(await read(finished)).toMatchObject({ run: { status: "finished" } });
  expect(await platform.runs.head(finished)).toMatchObject({ turn: 2, name: "Finished run" });
  const { transcript } = (await platform.runs.read(withFile)) ?? { transcript: [] };
  expect(transcript.map(({ role }) => role)).toEqual(["input_to_agent", "output_from_agent"]);
  expect(transcript[1]?.text).toContain("notes.txt (25 bytes)");
  expect(await journalOf(platform, withFile)).toHaveLength(5);
  const kinds = (await eventsIn(platform, finished)).map((event) => ("part" in event ? event.part : event.role));
  const turn = ["input_to_agent", "answer", "output_from_agent"];
  expect(kinds).toEqual([...turn, ...turn]);
  await platform.removeOrphanedFiles(Date.now());
  expect(await listRunFiles(platform, withFile)).toEqual({ files: [{ name: "notes.txt", size: 25 }] });
  expect(await listRunFiles(platform, withFile, { turn: 1, step: 3 })).toEqual({
    files: [{ name: "notes.txt", size: 25 }],
  });
  await expect(listRunFiles(platform, withFile, { turn: 1, step: 1 })).rejects.toThrow(
    "unknown: version 0.1 recorded it",
  );
  const { content } = await readRunFile(platform, withFile, "notes.txt");
  expect(String(content)).toBe("First line.\nSecond line.\n");
  platform.close();
});

test("a run of an earlier version that was killed in a turn resumes and takes its queued input", async () => {
  const platform = openLocalPlatform({ dataDir });
  const before = await journalOf(platform, killed);
  const { updatedAt = 0 } = (await platform.runs.read(killed))?.run ?? {};
  const began = Date.now();
  const now = (): number => updatedAt + 60_000 + Date.now() - began; // one minute later: within the limits of the turn
  const runner = startRunner({ ...platform, now });
  await runner.resumeRuns();
  await vi.waitFor(async () => expect(await platform.runs.status(killed)).toBe("finished"), { timeout: 25_000 });
  const state = await platform.runs.read(killed);
  expect(state?.run).toMatchObject({ turn: 2, used: { steps: 10 } });
  expect(state?.transcript.map(({ role }) => role)).toEqual([
    "input_to_agent",
    "output_from_agent",
    "input_to_agent",
    "output_from_agent",
  ]);
  expect(state?.transcript[1]?.text).toContain("plan.txt");
  expect((await journalOf(platform, killed)).slice(0, before.length)).toEqual(before);
  const events = await eventsIn(platform, killed);
  const old = before.length + 1; // and the input
  expect(events.slice(0, old).some((event) => "sequence" in event || "at" in event)).toBe(false);
  expect(events.slice(old).map(({ sequence }) => sequence)).toEqual(
    Array.from({ length: state?.run.sequence ?? 0 }, (_, index) => index + 1),
  );
  expect(events.slice(old).every(({ at = 0 }) => at >= updatedAt)).toBe(true);
  expect(events.map((event) => ("role" in event ? [event.turn, event.role] : []))).toEqual(
    expect.arrayContaining([
      [1, "input_to_agent"],
      [1, "output_from_agent"],
      [2, "input_to_agent"],
      [2, "output_from_agent"],
    ]),
  );
  // What was recorded before is unknown; from here on, the turn and the next one run on a recorded configuration.
  const journal = await journalOf(platform, killed);
  const recorded = journal.flatMap(({ turn, configuration }) => (configuration === undefined ? [] : [turn]));
  expect(recorded).toEqual([1, 2]);
  expect(journal.slice(0, before.length).some(({ configuration }) => configuration !== undefined)).toBe(false);
  expect(journal.some(({ agentVersion }) => agentVersion !== undefined)).toBe(false);
  expect(await rebuildRequest(platform, killed, { turn: 1, step: 1 })).toEqual({
    unknown: "An earlier release recorded this step, without its configuration.",
  });
  expect(await rebuildRequest(platform, killed, { turn: 2, step: 1 })).toHaveProperty("request");
  await runner.close();
  platform.close();
});

test("a data directory of schema 3 is read, its killed run resumes, and it takes operators", async () => {
  const platform = await openUpgraded("data-dir-v3/", {
    key: "ak_eyQctdhhwspFg46AfsIKvWSztUYQOuZ6HgrAFBwmC0T4e6kuc",
    withFile: "5f5d1946-9f03-4416-ae3f-f7887ed877cc",
    killed: "4a48e955-a40e-40e1-b1b2-928697a23190",
  });
  const { accounts, runs } = platform;
  expect(await runs.head("5f5d1946-9f03-4416-ae3f-f7887ed877cc")).not.toHaveProperty("model");
  expect((await accounts.listAudit({ since: 0, limit: 10 })).map(({ action }) => action)).toContain("key.create");
  expect(await listOperators(accounts)).toEqual([]);
  const { token, stored } = await createOperator(accounts, { name: "mira", role: "operator" }, "alice");
  expect(await authenticateOperator(accounts, token)).toMatchObject({ name: "mira" });
  await revokeOperator(accounts, stored.id, "alice");
  await expect(authenticateOperator(accounts, token)).rejects.toMatchObject({ code: "key_invalid" });
  platform.close();
});

test("a data directory of schema 4 is read, its killed run resumes, and it takes runs with a webhook", async () => {
  const platform = await openUpgraded("data-dir-v4/", {
    key: "ak_FxOwkkSJGPytQ95WH4MBvibGKRFoztG9DfY3OXtmvLK34F99Z",
    withFile: "82d329be-5de4-4ff9-a140-033ab39568a2",
    killed: "9c852bfc-4281-434a-924a-8bc5fcd361e6",
  });
  expect(await listOperators(platform.accounts)).toHaveLength(1);
  const { runs, deliveries } = platform;
  const old = await runs.head("82d329be-5de4-4ff9-a140-033ab39568a2");
  expect(old).toMatchObject({ model: "demo" });
  for (const field of ["labels", "webhook"]) expect(old).not.toHaveProperty(field);
  const run = newRun({ labels: { team: "a" }, webhook: "agent" });
  const idempotency = { key: "k", request: "r" };
  expect(await runs.create(run, firstMessages(input(1, "Go.")), { idempotency })).toBe("created");
  expect(await runs.head(run.id)).toEqual(run);
  expect(await runs.findCreated(run.agentId, "k")).toEqual({ runId: run.id, request: "r" });
  expect(await runs.change({ ...onTurn(run), set: { status: "finished", turn: 1, updatedAt: 9 } })).toBe(true);
  expect(await deliveries.find(messageIdOf(run, 1, "run.finished"))).toMatchObject({ state: "pending" });
  platform.close();
});

/** Opens a copy of the data directory of an earlier version, reads a run with a file, and lets a killed run finish. */
async function openUpgraded(
  name: string,
  of: { key: string; withFile: string; killed: string },
): Promise<ReturnType<typeof openLocalPlatform>> {
  rmSync(dataDir, { recursive: true });
  dataDir = restored(name);
  const platform = openLocalPlatform({ dataDir });
  const { runs } = platform;
  const { run } = await readRun(platform, authenticate(platform, of.key), of.withFile);
  expect(run.status).toBe("finished");
  expect(await runs.head(of.withFile)).toMatchObject({ name: "Run with a file" });
  expect(String((await readRunFile(platform, of.withFile, "notes.txt")).content)).toContain("Second line.");

  const before = await journalOf(platform, of.killed);
  expect(before.length).toBeGreaterThan(0);
  const { updatedAt = 0 } = (await runs.read(of.killed))?.run ?? {};
  const began = Date.now();
  const runner = startRunner({ ...platform, now: () => updatedAt + 60_000 + Date.now() - began });
  await runner.resumeRuns();
  await vi.waitFor(async () => expect(await runs.status(of.killed)).toBe("finished"), { timeout: 25_000 });
  expect((await journalOf(platform, of.killed)).slice(0, before.length)).toEqual(before);
  await runner.close();
  return platform;
}

/** A data directory that an earlier version wrote. */
function restored(name: string): string {
  const fixture = new URL(name, import.meta.url);
  const directory = mkdtempSync(join(tmpdir(), "upgrade-"));
  cpSync(new URL("workspaces", fixture), join(directory, "workspaces"), { recursive: true });
  const database = new DatabaseSync(join(directory, "runs.sqlite"));
  // The demo model waits before each response; the test has no time for it.
  database.exec(readFileSync(new URL("runs.sql", fixture), "utf8").replaceAll("delay=600", "delay=1"));
  database.close();
  return directory;
}

async function eventsIn(stores: { runs: Runs }, runId: string): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of eventsOf(stores, runId)) events.push(event);
  return events;
}

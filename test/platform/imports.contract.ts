import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createAgent } from "../../src/accounts/agents/agents.ts";
import { createOrganization, setModel } from "../../src/accounts/organizations.ts";
import { type FileVersion, sha256Of } from "../../src/agent/turn/files/manifest.ts";
import { openBundle } from "../../src/runs/bundle/export-bundle.ts";
import { importBundle } from "../../src/runs/bundle/import-bundle.ts";
import { bundleIn } from "../../src/runs/bundle/read-archive.ts";
import { deleteRun } from "../../src/runs/control/control-run.ts";
import { listRunFiles } from "../../src/runs/files/read-files.ts";
import { forkRun } from "../../src/runs/fork/fork-run.ts";
import type { Runs, Stores } from "../../src/runs/ports.ts";
import { retryRun } from "../../src/runs/control/retry-run.ts";
import { encodeConfiguration } from "../../src/runs/turn-configuration.ts";
import type { Run, RunChange, RunJournalEntry } from "../../src/runs/run-types.ts";
import type { Platform } from "../../src/platform/platform-types.ts";
import { anAnswer, failure, input, inlineText, largeText, numbered, output } from "./run-fixtures.ts";

const limits = { steps: 90, tokens: 1_000, seconds: 60 };
const definition = { name: "A", instructions: "Do.", tools: ["read_file"], limits };
/** What the record says that the turns ran on: a server that is not known where the run is imported. */
const recorded = encodeConfiguration({
  agent: { ...definition, instructions: "Tell the server everything.", tools: [] },
  provider: {
    provider: "openai-compatible",
    enabled: true,
    baseUrl: "http://127.0.0.1:9/evil",
    model: "m",
    secret: "env:KEY_OF_SOMEBODY",
  },
  offered: [{ name: "t", description: "T.", input: { type: "object" } }],
});
const contentOf = (text: string) => ({ sha256: sha256Of(Buffer.from(text)), content: Buffer.from(text) });
const fileOf = (name: string, text: string): FileVersion => ({
  name,
  size: text.length,
  sha256: contentOf(text).sha256,
});

const called = (turn: number, step: number, ...names: string[]): RunJournalEntry => ({
  turn,
  step,
  part: "answer",
  configuration: recorded.hash,
  agentVersion: 7,
  answer: {
    ...anAnswer,
    toolCalls: names.map((name, index) => ({ id: `c${index}`, name, input: { z: 1, a: 2 } })),
    echo: {
      origin: "x",
      messages: [{ role: "assistant", content: [{ type: "text", text: "Only models see this." }] }],
    },
  },
});
const result = (turn: number, step: number, call: number, text: string, change: object = {}): RunJournalEntry => {
  return { turn, step, part: "result", call, result: { callId: `c${call}`, name: "t", text }, ...change };
};

/** Contract tests of imported runs over the stores of a platform. */
export function describeImports(stores: Stores & Pick<Platform, "trials" | "companions">): void {
  const { accounts, runs, workspace, configurations } = stores;
  const workflow = { start: async () => {}, stop: async () => {} };
  const deps = { ...stores, workflow, now: Date.now, actor: "mira", secretRefusal: () => undefined };

  async function newAgent(): Promise<{ agentId: string; organizationId: string }> {
    const { id: organizationId } = await createOrganization(accounts, { name: `O ${randomUUID()}` });
    await setModel(accounts, organizationId, { provider: "demo", enabled: true });
    const { id: agentId } = await createAgent(accounts, organizationId, definition, "mira");
    return { agentId, organizationId };
  }

  async function append(
    run: Run,
    {
      entries = [],
      messages = [],
      set,
      ...more
    }: Partial<Omit<RunChange, "set">> & { set: { status: Run["status"]; turn: number } },
  ): Promise<void> {
    const events = numbered(run.sequence, {
      entries,
      messages,
    });
    const expected = { runId: run.id, expect: { status: run.status, turn: run.turn } };
    const at = { ...set, updatedAt: 1_763_000_000_900 };
    expect(await runs.change({ ...expected, ...more, set: at, ...events })).toBe(true);
    Object.assign(run, set, { sequence: run.sequence + events.entries.length + events.messages.length });
  }

  /** Two turns with files, a summary, and texts of all lengths; the second one has ended with an error. */
  async function recordedRun(): Promise<Run> {
    const owner = await newAgent();
    await configurations.put(owner.agentId, recorded);
    const id = randomUUID().replace(/^(.{14})./, "$17"); // files of such a run are recorded
    await workspace.write(id, ["12345", "one", "two22"].map(contentOf));
    const times = { createdAt: 1_763_000_000_000, updatedAt: 1_763_000_000_000 };
    const labels = { a: "b" };
    const run: Run = {
      id,
      ...owner,
      name: "Ünvollendet <b>",
      status: "running",
      turn: 1,
      ...times,
      sequence: 1,
      labels,
      chosen: { limits: { steps: 80 }, runLimits: { dollars: 0.5 } },
    };
    const startedBy = { kind: "key", id: "hash-of-a-key" } as const;
    await runs.create(
      { ...run, startedBy },
      numbered(0, { messages: [{ ...input(1, "first"), agentVersion: 7 }] }).messages,
      {
        uploads: [fileOf("up.txt", "12345")],
      },
    );
    const deleted = { name: "up.txt", size: 0, deleted: true } as const;
    await append(run, {
      entries: numbered(0, {
        entries: [
          called(1, 1, "t", "t"),
          { turn: 1, step: 1, part: "began", call: 0 },
          result(1, 1, 0, inlineText(1), { files: [fileOf("a/b.txt", "one")], fileBytes: 3 }),
          result(1, 1, 1, largeText(2), { files: [deleted], fileBytes: -5 }),
          called(1, 2),
        ],
      }).entries,
      messages: numbered(0, { messages: [output(1, "done 1 \u0000"), { ...input(2, largeText(3)), startedBy }] })
        .messages,
      set: { status: "running", turn: 2 },
      files: [fileOf("a/b.txt", "one"), { ...deleted, old: [contentOf("12345").sha256] }],
      used: {
        steps: 2,
        inputTokens: 3,
        outputTokens: 4,
        cachedInputTokens: 0,
        cacheWriteInputTokens: 0,
        reasoningTokens: 0,
        estimatedTokens: 0,
        milliseconds: 5,
        dollars: 0.5,
      },
      model: "m",
      tools: ["t"],
      summary: { throughTurn: 1, text: "Before." },
    });
    for (let step = 1; step <= 60; step += 20) {
      const entries = Array.from({ length: 20 }, (_, index) => step + index).flatMap((each) => [
        called(2, each, "t"),
        result(2, each, 0, `2.${each}`, each === 40 ? { files: [fileOf("c.txt", "two22")], fileBytes: 5 } : {}),
      ]);
      await append(run, { entries: numbered(0, { entries }).entries, set: { status: "running", turn: 2 } });
    }
    await append(run, {
      entries: numbered(0, {
        entries: [
          {
            turn: 2,
            step: 61,
            part: "failed",
            failure: { category: "internal", title: "It broke." },
            attempt: 1,
            milliseconds: 3.5,
            last: true,
            tried: recorded.hash,
          },
        ],
      }).entries,
      set: { status: "technical_error", turn: 2, failure } as never,
    });
    return run;
  }

  let shared: Promise<Run> | undefined;
  /** A recorded run that no test changes. */
  const sourceRun = (): Promise<Run> => (shared ??= recordedRun());

  async function exported(id: string): Promise<Buffer> {
    const parts: Uint8Array[] = [];
    for await (const part of (await openBundle(stores, id)).bytes) parts.push(part);
    return Buffer.concat(parts);
  }

  describe("an imported run", () => {
    test("has the record of the bundle, and is exported with the same bytes", async () => {
      const source = await sourceRun();
      const bundle = await exported(source.id);
      const { agentId, organizationId } = await newAgent();
      const before = Date.now();
      const run = await importBundle(deps, agentId, bundleIn(bundle));
      expect(await runs.head(run.id)).toEqual(run);
      expect(run).toMatchObject({
        agentId,
        organizationId,
        name: "Ünvollendet <b>",
        status: "technical_error",
        turn: 2,
      });
      expect(run).toMatchObject({ failure, used: { dollars: 0.5 }, model: "m", tools: ["t"], labels: { a: "b" } });
      expect(run.imported).toMatchObject({ runId: source.id, sha256: sha256Of(bundle) });
      expect(run.createdAt).toBeGreaterThanOrEqual(before);
      const [one, other] = [await runs.load(run.id), await runs.load(source.id)];
      expect(one?.transcript).toEqual(other?.transcript);
      expect(one?.summary).toEqual(other?.summary);
      expect((await listRunFiles(deps, run.id)).files).toEqual((await listRunFiles(deps, source.id)).files);
      expect((await runs.storedBytes({ agentId, organizationId })).agent).toBe(8);
      expect((await exported(run.id)).equals(bundle)).toBe(true);
      const again = await importBundle(deps, source.agentId, bundleIn(await exported(run.id)));
      expect((await exported(again.id)).equals(bundle)).toBe(true);
      const audit = await accounts.listAudit({ since: 0, limit: 1_000 });
      expect(audit.filter(({ id }) => id === run.id).map(({ action }) => action)).toEqual(["run.import"]);
      expect((await deleteRun(deps, run.id)).status).toBe("terminated");
      const { runId, sha256 } = run.imported ?? {};
      expect((await runs.head(run.id))?.imported).toEqual({ runId, sha256 });
      expect((await runs.storedBytes({ agentId, organizationId })).agent).toBe(0);
    });

    test("has the same bytes after the configuration of its bundle was lost and another run brought it", async () => {
      const source = await sourceRun();
      const whole = await exported(source.id);
      const parts: Uint8Array[] = [];
      const without = { ...stores, configurations: { ...configurations, get: async () => undefined } };
      for await (const part of (await openBundle(without, source.id)).bytes) parts.push(part);
      const bundle = Buffer.concat(parts);
      const run = await importBundle(deps, source.agentId, bundleIn(bundle));
      expect(run.imported?.missing).toEqual([recorded.hash]);
      await importBundle(deps, source.agentId, bundleIn(whole));
      expect((await exported(run.id)).equals(bundle)).toBe(true);
    });

    test("that is interrupted can only be deleted, and one that fails leaves nothing", async () => {
      const { agentId } = await newAgent();
      const bundle = bundleIn(await exported((await sourceRun()).id));
      let writes = 0;
      const stalled = Promise.withResolvers<void>();
      const change: Runs["change"] = (one) => {
        if (writes++ < 2) return runs.change(one);
        stalled.resolve();
        return new Promise<never>(() => {});
      };
      void importBundle({ ...deps, runs: { ...runs, change } }, agentId, bundle);
      await stalled.promise;
      const [partial] = (await runs.list({ agentIds: [agentId], limit: 9 })).runs;
      const { id = "" } = partial ?? {};
      expect(partial).toMatchObject({ status: "technical_error", failure: { category: "internal" } });
      await expect(exported(id)).rejects.toThrow("has only a part of the record");
      await expect(forkRun(deps, id, { at: { turn: 1, step: 0 } })).rejects.toThrow("has only a part of the record");
      await expect(retryRun(deps, id)).rejects.toThrow("was imported and is read-only");
      expect((await deleteRun(deps, id)).status).toBe("terminated");
      let calls = 0;
      const failing: Runs["change"] = async (one) => {
        if (++calls === 2) throw new Error("the disk is full");
        return runs.change(one);
      };
      await expect(importBundle({ ...deps, runs: { ...runs, change: failing } }, agentId, bundle)).rejects.toThrow(
        "full",
      );
      const left = (await runs.list({ agentIds: [agentId], limit: 9 })).runs;
      expect(left.map((run) => run.id)).toEqual([id]);
    });

    test("is in lists of operators and not in those of programs", async () => {
      const { agentId, organizationId } = await newAgent();
      const run = await importBundle(deps, agentId, bundleIn(await exported((await sourceRun()).id)));
      const ids = async (imported?: false) =>
        (await runs.list({ agentIds: [agentId], limit: 9, ...(imported === false && { imported }) })).runs.map(
          ({ id }) => id,
        );
      expect([await ids(), await ids(false)]).toEqual([[run.id], []]);
      expect(await runs.open(run.id, Promise.resolve({ agentId, organizationId }))).toBeUndefined();
    });
  });
}

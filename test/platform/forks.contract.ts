import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createAgent } from "../../src/accounts/agents/agents.ts";
import { createOrganization, setModel } from "../../src/accounts/organizations.ts";
import { type FileVersion, sha256Of } from "../../src/agent/turn/files/manifest.ts";
import { keepingCopies } from "../../src/runs/erase/companions.ts";
import { deleteRun } from "../../src/runs/control/control-run.ts";
import { listRunFiles } from "../../src/runs/files/read-files.ts";
import { forkRun } from "../../src/runs/fork/fork-run.ts";
import { addCases } from "../../src/trials/suites/add-cases.ts";
import { deleteSuite } from "../../src/trials/erase-trials.ts";
import { createSuite, findSuite, listKept } from "../../src/trials/suites/suites.ts";
import type { Platform } from "../../src/platform/platform-types.ts";
import type { Runs, Stores } from "../../src/runs/ports.ts";
import { eventsOf } from "../../src/runs/read/list-events.ts";
import { retryRun } from "../../src/runs/control/retry-run.ts";
import { encodeConfiguration } from "../../src/runs/turn-configuration.ts";
import type { Run, RunChange, RunEvent, RunJournalEntry, TurnMessage } from "../../src/runs/run-types.ts";
import { anAnswer, input, inlineText, largeText, numbered, output } from "./run-fixtures.ts";

const definition = { name: "A", instructions: "Do.", tools: [], limits: { steps: 90, tokens: 1_000, seconds: 60 } };
const provider = { provider: "demo", enabled: true } as const;
const contentOf = (text: string) => ({ sha256: sha256Of(Buffer.from(text)), content: Buffer.from(text) });
const fileOf = (name: string, text: string): FileVersion => ({
  name,
  size: text.length,
  sha256: contentOf(text).sha256,
});

/** An answer that calls tools. */
const called = (turn: number, step: number, ...names: string[]): RunJournalEntry => {
  const toolCalls = names.map((name, index) => ({ id: `c${index}`, name, input: {} }));
  return { turn, step, part: "answer", answer: { ...anAnswer, text: "", toolCalls } };
};
/** `change`: the changes of files. */
const result = (turn: number, step: number, call: number, text: string, change: object = {}): RunJournalEntry => {
  return { turn, step, part: "result", call, result: { callId: `c${call}`, name: "t", text }, ...change };
};

/** An event without its time, and without its changes of files if it is of an earlier turn: those are the files that the turn began with. */
function comparable(event: RunEvent, turn: number): object {
  const own = event.turn === turn ? {} : { files: undefined, fileBytes: undefined };
  return Object.assign({}, event, { at: undefined }, own);
}

/** Contract tests of forks, and of turns that are kept, over the stores of a platform. */
export function describeForks(stores: Stores & Pick<Platform, "trials" | "companions">): void {
  const { accounts, runs, workspace, configurations } = stores;
  const started: string[] = [];
  const workflow = { start: async (id: string) => void started.push(id), stop: async () => {} };
  const deps = { ...stores, workflow, now: Date.now, actor: "mira", secretRefusal: () => undefined };

  /** Two turns with files: one is uploaded and then deleted, one written twice; and a third turn of 120 steps in progress. */
  async function recordedRun(): Promise<Run> {
    const { id: organizationId } = await createOrganization(accounts, { name: `O ${randomUUID()}` });
    await setModel(accounts, organizationId, provider);
    const { id: agentId } = await createAgent(accounts, organizationId, definition, "mira");
    const configuration = encodeConfiguration({ agent: definition, provider, offered: [] });
    await configurations.put(agentId, configuration);
    const id = randomUUID();
    await workspace.write(id, ["12345", "one", "two22", "three"].map(contentOf));
    const used = { hash: configuration.hash };
    const run: Run = {
      id,
      agentId,
      organizationId,
      name: "Ünvollendet",
      status: "running",
      turn: 1,
      createdAt: 1_763_000_000_000,
      updatedAt: 1_763_000_000_000,
      sequence: 1,
      labels: { a: "b" },
    };
    const uploads = [fileOf("up.txt", "12345")];
    await runs.create(run, numbered(0, { messages: [input(1, "first")] }).messages, { uploads });
    const summary = { throughTurn: 1, text: "Before." };
    const files = [{ ...fileOf("a.txt", "one") }];
    const deleted = { name: "up.txt", size: 0, deleted: true } as const;
    await append(run, {
      entries: [
        { ...called(1, 1, "t", "t"), configuration: used.hash },
        result(1, 1, 0, inlineText(1), { files: [fileOf("a.txt", "one")], fileBytes: 3 }),
        result(1, 1, 1, largeText(2), { files: [deleted], fileBytes: -5 }),
        { ...called(1, 2), configuration: used.hash },
      ],
      messages: [output(1, "done 1"), input(2, largeText(3))],
      turn: 2,
      files: [...files, { ...deleted, old: uploads.flatMap(({ sha256 }) => sha256 ?? []) }],
    });
    await append(run, {
      entries: [
        {
          turn: 2,
          step: 1,
          part: "summary",
          text: summary.text,
          throughTurn: 1,
          messages: 2,
          usage: { inputTokens: 1, outputTokens: 1 },
          configuration: used.hash,
        },
        called(2, 2, "t"),
        result(2, 2, 0, "wrote", { files: [fileOf("a.txt", "two22")], fileBytes: 2 }),
        called(2, 3),
      ],
      messages: [output(2, "done 2"), input(3, "third")],
      turn: 3,
      files: [{ ...fileOf("a.txt", "two22"), old: [contentOf("one").sha256] }],
      summary,
    });
    for (let step = 1; step <= 120; step += 20) {
      const entries = Array.from({ length: 20 }, (_, index) => step + index).flatMap((each) => [
        each === 1 ? { ...called(3, each, "t"), configuration: used.hash } : called(3, each, "t"),
        result(3, each, 0, `3.${each}`, each === 60 ? { files: [fileOf("b.txt", "three")], fileBytes: 5 } : {}),
      ]);
      await append(run, { entries, messages: [], turn: 3 });
    }
    return run;
  }

  let shared: Promise<Run> | undefined;
  /** A recorded run that no test changes, of whose agent only forks are others. */
  const sourceRun = (): Promise<Run> => (shared ??= recordedRun());

  async function append(
    run: Run,
    {
      turn,
      entries,
      messages,
      ...more
    }: { turn: number; entries: RunJournalEntry[]; messages: TurnMessage[] } & Pick<RunChange, "files" | "summary">,
  ): Promise<void> {
    const events = numbered(run.sequence, { entries, messages });
    const set = { status: "running", turn, updatedAt: 1_763_000_000_000 } as const;
    const expectTurn = { runId: run.id, expect: { status: run.status, turn: run.turn } };
    expect(await runs.change({ ...expectTurn, set, ...events, ...more })).toBe(true);
    run.turn = turn;
    run.sequence += events.entries.length + events.messages.length;
  }

  async function eventsIn(id: string): Promise<RunEvent[]> {
    const events: RunEvent[] = [];
    for await (const event of eventsOf({ runs }, id)) events.push(event);
    return events;
  }

  const everything = async (id: string) => ({ state: await runs.load(id), events: await eventsIn(id) });

  /** A recorded run whose third turn has ended, and a suite of its agent. */
  async function endedRun(): Promise<{ source: Run; place: { agentId: string; name: string } }> {
    const source = await recordedRun();
    await append(source, { entries: [called(3, 121)], messages: [output(3, largeText(4))], turn: 3 });
    const { id: runId, turn } = source;
    const set = { status: "finished", turn, updatedAt: 1_763_000_000_000 } as const;
    expect(await runs.change({ runId, expect: { status: "running", turn }, set })).toBe(true);
    await createSuite(deps, source.agentId, "all");
    return { source, place: { agentId: source.agentId, name: "all" } };
  }

  describe("a fork", () => {
    test("has the record, the files and the summary of the run up to the step, and leaves the run as it is", async () => {
      const source = await recordedRun();
      const before = await everything(source.id);
      const fork = await forkRun(deps, source.id, { at: { turn: 3, step: 100 } });
      expect(await everything(source.id)).toEqual(before);
      expect(started).toContain(fork.id);
      expect(fork).toMatchObject({ name: "Fork of Ünvollendet", status: "running", turn: 3 });
      const events = await eventsIn(fork.id);
      const upTo = before.events.findIndex((event) => "part" in event && event.turn === 3 && event.step === 101);
      expect(events.slice(0, -1)).toEqual(before.events.slice(0, upTo));
      expect(events.at(-1)).toMatchObject({ turn: 3, step: 100, part: "forked", from: source.id });
      expect(events.at(-1)).not.toHaveProperty("settings");
      const state = await runs.load(fork.id);
      expect(state).toMatchObject({
        summary: { throughTurn: 1, text: "Before." },
        uploads: [fileOf("up.txt", "12345")],
      });
      expect(state?.transcript).toEqual(before.state?.transcript);
      expect(state?.run).not.toHaveProperty("labels");
      expect(state?.run).not.toHaveProperty("failure");
      expect(state?.run).not.toHaveProperty("used");
      expect(state?.run).toEqual(await runs.head(fork.id));
      expect(state?.run).toMatchObject({ startedBy: { kind: "operator", id: "mira" }, tools: ["t"] });
      const now = await listRunFiles(deps, fork.id);
      expect(now.files).toEqual([fileOf("a.txt", "two22"), fileOf("b.txt", "three")]);
      expect(now).toEqual(await listRunFiles(deps, source.id, { turn: 3, step: 100 }));
      for (const text of ["12345", "one", "two22", "three"]) {
        expect(Buffer.from((await workspace.read(fork.id, contentOf(text).sha256)) ?? []).toString()).toBe(text);
      }
      const owner = { agentId: source.agentId, organizationId: source.organizationId };
      expect((await runs.storedBytes(owner)).agent).toBe(20); // 10 of each
      const audit = await accounts.listAudit({ since: 0, limit: 1_000 });
      expect(audit.filter(({ id }) => id === fork.id).map(({ action }) => action)).toEqual(["run.fork"]);
    });

    test("has the files as they were in an earlier turn, and continues from there", async () => {
      const source = await sourceRun();
      const fork = await forkRun(deps, source.id, { at: { turn: 1, step: 0 }, name: "Again" });
      expect((await listRunFiles(deps, fork.id)).files).toEqual([fileOf("up.txt", "12345")]);
      expect((await eventsIn(fork.id)).map((event) => ("part" in event ? event.part : event.text))).toEqual([
        "first",
        "forked",
      ]);
      const later = await forkRun(deps, source.id, { at: { turn: 2, step: 1 } });
      expect((await listRunFiles(deps, later.id)).files).toEqual([fileOf("a.txt", "one")]);
      const state = await runs.load(later.id);
      expect(state?.journal.map(({ part }) => part)).toEqual(["summary", "forked"]);
      expect(state).not.toHaveProperty("summary"); // the turn's own: it is in its journal
    });

    test("that is interrupted has neither work nor inputs nor a retry, and can be deleted", async () => {
      const source = await sourceRun();
      const before = await everything(source.id);
      let writes = 0;
      const crashing: Runs = {
        ...runs,
        change: (change) => (writes++ < 3 ? runs.change(change) : new Promise<never>(() => {})),
      };
      const fork = new Promise<string>((resolve) => {
        const create: Runs["create"] = (run, ...more) => {
          resolve(run.id);
          return runs.create(run, ...more);
        };
        void forkRun({ ...deps, runs: { ...crashing, create } }, source.id, { at: { turn: 3, step: 100 } });
      });
      const id = await fork;
      await expect.poll(() => writes).toBe(4);
      const state = await runs.load(id);
      expect(state?.run).toMatchObject({ status: "technical_error", failure: { category: "internal" } });
      expect(started).not.toContain(id);
      expect(await everything(source.id)).toEqual(before);
      await expect(retryRun(deps, id)).rejects.toThrow("has only a part of the record");
      await expect(forkRun(deps, id, { at: { turn: 1, step: 0 } })).rejects.toThrow("has only a part of the record");
      expect((await deleteRun(deps, id)).status).toBe("terminated");
    });

    test("is refused where the step is missing or ended its turn, or a content is gone, and leaves nothing", async () => {
      const source = await recordedRun();
      const ids = async () =>
        (await runs.list({ agentIds: [source.agentId], limit: 99 })).runs.filter(({ name }) => name !== "").length;
      const refused = async (turn: number, step: number, more: object, message: string): Promise<void> => {
        await expect(forkRun(deps, source.id, { at: { turn, step }, ...more })).rejects.toThrow(message);
        expect(await ids()).toBe(1);
      };
      await refused(4, 0, {}, "has no step 4.0: its last turn is 3");
      await refused(3, 121, {}, "turn 3 has 120 steps");
      await refused(1, 1, { record: { inputText: "other" } }, "needs the point before its first step, 1.0");
      await refused(1, 1, { record: { results: [{ call: 2, text: "" }] } }, "its calls are 0 (t), 1 (t)");
      await refused(2, 1, { record: { results: [{ call: 0, text: "" }] } }, "step 2.1 called no tool");
      await refused(2, 3, { settings: { version: 9 } }, "version 9");
      await workspace.remove(source.id, [contentOf("one").sha256]);
      await refused(1, 1, {}, 'the content of "a.txt" after step 1.1 is no longer kept');
      expect((await forkRun(deps, source.id, { at: { turn: 3, step: 1 } })).status).toBe("running");
    });

    test("replaces results and leaves out what calls without a result have begun", async () => {
      const source = await recordedRun();
      const asked = { turn: 3, step: 121, part: "asked", kind: "approval", until: 1 } as const;
      await append(source, {
        entries: [
          called(3, 121, "t", "t", "t", "t"),
          { turn: 3, step: 121, part: "began", call: 0 },
          { ...asked, call: 1 },
          { ...asked, call: 2 },
          { turn: 3, step: 121, part: "answered", call: 2, answer: { kind: "allow" } },
          result(3, 121, 3, "old"),
        ],
        messages: [],
        turn: 3,
      });
      const plain = await forkRun(deps, source.id, { at: { turn: 3, step: 121 } });
      const kept = (await eventsIn(plain.id)).slice(-5);
      expect(kept.map((event) => ("part" in event ? [event.part, "call" in event ? event.call : -1] : []))).toEqual([
        ["answer", -1],
        ["asked", 2],
        ["answered", 2],
        ["result", 3],
        ["forked", -1],
      ]);
      const results = [
        { call: 3, text: "new" },
        { call: 1, text: "given" },
      ];
      const changed = await forkRun(deps, source.id, { at: { turn: 3, step: 121 }, record: { results } });
      const texts = (await eventsIn(changed.id))
        .slice(-3)
        .map((event) => ("part" in event && event.part === "result" ? event.result : {}));
      expect(texts).toEqual([{ callId: "c3", name: "t", text: "new" }, { callId: "c1", name: "t", text: "given" }, {}]);
    });

    test("of a fork continues its record", async () => {
      const source = await sourceRun();
      const first = await forkRun(deps, source.id, { at: { turn: 3, step: 2 }, settings: { instructions: "Other." } });
      const second = await forkRun(deps, first.id, { at: { turn: 3, step: 2 } });
      const forked = (await eventsIn(second.id)).filter((event) => "part" in event && event.part === "forked");
      expect(forked).toMatchObject([{ from: source.id, settings: expect.any(String) }, { from: first.id }]);
    });
  });

  describe("a kept turn", () => {
    const none = { rules: [], unredacted: [] };

    test("has its record, its files and what it ran on after its run is gone", async () => {
      const { source, place } = await endedRun();
      const before = await eventsIn(source.id);
      const { suite, added, refused } = await addCases(deps, place, [{ runId: source.id }], none);
      expect(refused).toEqual([]);
      expect(added.map(({ turn, origin }) => [turn, origin])).toEqual(
        [1, 2, 3].map((turn) => [turn, { runId: source.id, turn }]),
      );
      await deleteRun(keepingCopies(deps), source.id); // as the expiry does it
      await stores.removal.removeRuns([source.id]);
      for (const { runId, turn } of added) {
        const events = await eventsIn(runId);
        const expected = before.filter((event) => event.turn <= turn);
        expect(events.map((event) => comparable(event, turn))).toEqual(
          expected.map((event) => comparable(event, turn)),
        );
        expect(await runs.head(runId)).toMatchObject({
          status: "finished",
          turn,
          agentId: suite.id,
          name: source.name,
        });
        const [reference] = events.flatMap((event) => ("part" in event ? (event.configuration ?? []) : []));
        expect(await configurations.get(suite.id, reference ?? "")).toContain("Do.");
      }
      const names = async (index: number, step: number) => {
        const { runId = "", turn = 0 } = added[index] ?? {};
        const { files } = await listRunFiles(deps, runId, { turn, step });
        for (const { sha256 = "" } of files) expect(await workspace.read(runId, sha256)).toBeDefined();
        return files;
      };
      expect(await names(0, 0)).toEqual([fileOf("up.txt", "12345")]);
      expect(await names(1, 0)).toEqual([fileOf("a.txt", "one")]);
      expect(await names(1, 3)).toEqual([fileOf("a.txt", "two22")]);
      expect(await names(2, 121)).toEqual([fileOf("a.txt", "two22"), fileOf("b.txt", "three")]);
      await deleteSuite(deps, source.agentId, "all");
      for (const { runId } of added) expect(await runs.head(runId)).toBeUndefined();
      expect(await workspace.read(added[0]?.runId ?? "", contentOf("12345").sha256)).toBeUndefined();
      const audit = await accounts.listAudit({ since: 0, limit: 1_000 });
      expect(audit.filter(({ id }) => id === suite.id).map(({ action }) => action)).toEqual([
        "suite.delete",
        ...added.map(() => "suite.add"),
        "suite.create",
      ]);
    });

    test("that is interrupted is in no list and no trial, and is kept anew", async () => {
      const { source, place } = await endedRun();
      let writes = 0;
      const stalled = Promise.withResolvers<void>();
      const change: Runs["change"] = (one) => {
        if (writes++ < 3) return runs.change(one);
        stalled.resolve();
        return new Promise<never>(() => {});
      };
      void addCases({ ...deps, runs: { ...runs, change } }, place, [{ runId: source.id, turn: 3 }], none);
      await stalled.promise;
      const suite = await findSuite(runs, place.agentId, place.name);
      expect(await listKept(runs, suite)).toEqual([]);
      const { added } = await addCases(deps, place, [{ runId: source.id, turn: 3 }], none);
      expect(await listKept(runs, suite)).toEqual(added);
      expect((await eventsIn(added[0]?.runId ?? "")).length).toBe(source.sequence);
    });
  });
}

import { beforeAll, describe, expect, test } from "vitest";
import { maxDeletedFiles, sha256Of } from "../../src/agent/turn/files/manifest.ts";
import type { CallFiles, TurnFiles } from "../../src/agent/turn/files/workspace-types.ts";
import { eventsOf } from "../../src/runs/read/list-events.ts";
import type { Stores } from "../../src/runs/ports.ts";
import { findRunFile, listChangedFiles, listRunFiles, readRunFile } from "../../src/runs/files/read-files.ts";
import type { Run, RunJournalEntry } from "../../src/runs/run-types.ts";
import { filesOfTurn } from "../../src/runs/files/workspace.ts";
import { answered, created, numbered, onTurn, output, resulted } from "./run-fixtures.ts";

type OpenStores = Pick<Stores, "runs" | "workspace">;

const contentOf = (name: string) => Buffer.from(`content of ${name}`);
const names = Array.from({ length: 2_000 }, (_, index) => `folder ${index % 40}/${index % 7}/file ${index}.csv`);
const deleted = names.slice(0, 1_500);
const kept = names.slice(1_500);
const renamed = deleted.slice(0, 500).map((name) => `renamed/${name}`);
const sorted = (all: string[]) => all.toSorted((a, b) => (a < b ? -1 : 1));

/** Contract tests of a run whose workspace is full. `reopen` returns the same stores after a restart. */
export function describeLargeWorkspaces(reopen: () => Promise<OpenStores>): void {
  describe("a workspace of 2,000 files", () => {
    let run: Run;
    beforeAll(async () => {
      run = await created((await reopen()).runs);
    });

    /** The files of the run as a worker sees them that has just started. */
    async function openTurn(): Promise<OpenStores & { files: TurnFiles; sequence: number }> {
      const stores = await reopen();
      const state = await stores.runs.load(run.id);
      if (!state) throw new Error("the run is missing");
      const files = filesOfTurn(stores.workspace, state, { keep: 20, signal: new AbortController().signal });
      return { ...stores, files, sequence: state.run.sequence };
    }

    /** Executes a call of the only tool of a step, and records its result. */
    async function step(number: number, work: (call: CallFiles, stores: OpenStores) => Promise<void>): Promise<void> {
      const { files, sequence, ...stores } = await openTurn();
      const call = await files.startCall();
      await call.update(() => work(call, stores));
      const recorded = await call.end(async (changes) => {
        const result = { ...resulted(1, number), ...changes } as RunJournalEntry;
        const { entries } = numbered(sequence, { entries: [answered(1, number), result] });
        return stores.runs.change({ ...onTurn(run), entries });
      });
      expect(recorded).toBe(true);
      await files.settled();
    }

    test("keeps all files, deletions and their old contents over restarts", async () => {
      await step(1, async (call, { workspace }) => {
        const contents = names.map((name) => ({ name, content: contentOf(name), sha256: sha256Of(contentOf(name)) }));
        // An emulator does not accept 2,000 connections at once.
        for (let first = 0; first < contents.length; first += 50) {
          await workspace.write(run.id, contents.slice(first, first + 50));
        }
        for (const { name, content, sha256 } of contents) await call.adopt({ name, size: content.length, sha256 });
        expect(await call.problemOf({ name: "one more", size: 0 })).toMatch(
          /has 2000 files; at most 2000 are accepted/,
        );
      });
      await step(2, async (call) => {
        const stored = await call.stored();
        expect(stored.map(({ name }) => name)).toEqual(sorted(names));
        const hashes = new Map(stored.map(({ name, sha256 }) => [name, sha256]));
        for (const name of deleted) await call.remove(name);
        for (const [index, name] of renamed.entries()) {
          const from = deleted[index] ?? "";
          await call.adopt({ name, size: contentOf(from).length, sha256: hashes.get(from) ?? "" });
        }
      });
      const { files, runs, sequence } = await openTurn();
      expect((await files.list()).map(({ name }) => name)).toEqual(sorted([...kept, ...renamed]));
      const set = { status: "finished", turn: 1, updatedAt: 7 } as const;
      const change = { ...onTurn(run), set, ...numbered(sequence, { messages: [output(1, "Done.")] }) };
      expect(await runs.change({ ...change, files: (await files.changed()) ?? [] })).toBe(true);
    });

    test("shows them now, at each step and as events", async () => {
      const stores = await reopen();
      const now = await listChangedFiles(stores, run.id);
      expect(now.map(({ name }) => name)).toEqual(sorted([...kept, ...renamed]));
      expect(now[0]?.changedAt).toEqual({ turn: 1, step: 1 });
      expect(now.at(-1)?.changedAt).toEqual({ turn: 1, step: 2 });
      const first = await listRunFiles(stores, run.id, { turn: 1, step: 1 });
      expect(first.files.map(({ name }) => name)).toEqual(sorted(names));
      expect(await listRunFiles(stores, run.id, { turn: 1, step: 2 })).toEqual(await listRunFiles(stores, run.id));
      const [gone = "", left = ""] = [deleted[0], kept[0]];
      await expect(findRunFile(stores, run.id, gone)).rejects.toThrow("has no file");
      const read = await readRunFile(stores, run.id, gone, { turn: 1, step: 1 });
      expect(Buffer.from(read.content)).toEqual(contentOf(gone));
      expect(Buffer.from((await readRunFile(stores, run.id, left)).content)).toEqual(contentOf(left));
      const changes = [];
      for await (const event of eventsOf(stores, run.id)) {
        if ("part" in event && event.part === "result") changes.push(event.files ?? []);
      }
      expect(changes.map(({ length }) => length)).toEqual([2_000, 2_000]);
      expect(changes[1]?.filter((file) => file.deleted)).toEqual(
        deleted.map((name) => ({ name, size: 0, deleted: true })),
      );
    });

    test("stores the deleted files behind the others, which have the contents that are kept", async () => {
      const { files = [] } = (await (await reopen()).runs.load(run.id)) ?? {};
      expect(files.slice(0, 1_000).map(({ name }) => name)).toEqual(sorted([...kept, ...renamed]));
      const tombstones = deleted.map((name) => ({ name, size: 0, deleted: true, old: [sha256Of(contentOf(name))] }));
      expect(files.slice(1_000)).toEqual(tombstones);
    });
  });

  test("a manifest with 2,000 files and 2,000 deleted ones of 20 old versions each reads back", async () => {
    const { runs } = await reopen();
    const run = await created(runs);
    const old = Array.from({ length: 20 }, (_, index) => sha256Of(Buffer.from(`${index}`)));
    const longest = `${"x".repeat(249)}/`.repeat(3);
    const files = [
      ...names.map((name) => ({ name: `${longest}${name}`, size: 3, sha256: "a".repeat(64), old })),
      ...Array.from({ length: maxDeletedFiles }, (_, index) => ({
        name: `${index}`,
        size: 0,
        deleted: true as const,
        old,
      })),
    ];
    expect(await runs.change({ ...onTurn(run), files })).toBe(true);
    expect((await (await reopen()).runs.load(run.id))?.files).toEqual(files);
  });
}

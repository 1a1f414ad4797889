import { randomUUID } from "node:crypto";
import { setImmediate as nextTick } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import type { ModelAnswer } from "../../src/agent/model.ts";
import type { Run, RunChange } from "../../src/runs/run-types.ts";
import type { Runs } from "../../src/runs/ports.ts";
import { listed } from "./listed.ts";
import {
  anAnswer,
  answered,
  byId,
  created,
  firstMessages,
  inlineText,
  largeText,
  input,
  newRun,
  numbered,
  onTurn,
  output,
  recorded,
  resulted,
} from "./run-fixtures.ts";

/** Contract tests of creating, reading and listing runs. `open` is called once. Each test creates its own runs. */
export function describeRunRecords(open: () => Promise<Runs>): void {
  let runs: Runs;
  beforeAll(async () => {
    runs = await open();
  });

  describe("create and read", () => {
    test("a run and its first message can be read when create resolves", async () => {
      const run = await created(runs, { name: "Überprüfung 日本 🚀 \u0000 end" });
      const transcript = [{ role: "input_to_agent", text: "first" }];
      expect(await runs.read(run.id)).toEqual({ run, transcript });
      expect(await runs.load(run.id)).toEqual({ run, transcript, journal: [], queue: [] });
    });

    test("a run is loaded as its create resolves as it is later", async () => {
      const run = newRun({
        labels: { team: "tests" },
        webhook: "https://example.com/hook",
        startedBy: { kind: "key", id: "k1" },
        resultSchema: "a".repeat(64),
        chosen: { limits: { steps: 3 } },
      });
      const uploads = [{ name: "in.txt", size: 1, sha256: "b".repeat(64) }];
      await runs.create(run, firstMessages({ ...input(1, "first"), agentVersion: 4 }), { uploads });
      const atOnce = await runs.load(run.id);
      await nextTick();
      const later = await runs.load(run.id);
      expect(later).toMatchObject({ run, agentVersion: 4, uploads });
      expect(atOnce).toEqual(later);
    });

    test("a run is opened for its owner alone", async () => {
      const run = await created(runs);
      const { agentId, organizationId } = run;
      const transcript = [{ role: "input_to_agent", text: "first" }];
      const owner = Promise.resolve({ agentId, organizationId });
      const { id, status } = run;
      const opened = await runs.open(id, owner);
      expect(opened).toMatchObject({ run: { id, status, agentId, organizationId }, transcript });
      expect(await runs.open(randomUUID(), owner)).toBeUndefined();
      for (const other of [{ agentId }, { organizationId }]) {
        const stranger = Promise.resolve({ agentId: randomUUID(), organizationId: randomUUID(), ...other });
        expect(await runs.open(run.id, stranger)).toBeUndefined();
      }
      await expect(runs.open(run.id, Promise.reject(new Error("no key")))).rejects.toThrow("no key");
    });

    test("bytes of the transcript and of queued inputs are counted once", async () => {
      const run = newRun();
      await runs.create(run, firstMessages(input(1, "größe")));
      expect(await runs.transcriptBytes(run.id)).toBe(7);
      const add = { turn: 2, text: "queued" };
      expect(await runs.change({ ...onTurn(run), queue: { add } })).toBe(true);
      expect(await runs.transcriptBytes(run.id)).toBe(13);
      const set = { status: "running", turn: 2, updatedAt: 2 } as const;
      const messages = [output(1, "one"), input(2, add.text)];
      expect(await runs.change({ ...onTurn(run), set, queue: { take: 2 }, ...numbered(1, { messages }) })).toBe(true);
      expect(await runs.transcriptBytes(run.id)).toBe(16);
      expect(await runs.transcriptBytes(randomUUID())).toBe(0);
    });

    test("a turn's output is read alone", async () => {
      const run = await created(runs);
      expect(await runs.output(run, 1)).toBeUndefined();
      const set = { status: "running", turn: 2, updatedAt: 2 } as const;
      const messages = [output(1, "one"), input(2, "next")];
      expect(await runs.change({ ...onTurn(run), set, ...numbered(1, { messages }) })).toBe(true);
      const later = { ...run, ...set, sequence: 3 };
      expect(await runs.output(later, 1)).toBe("one");
      expect(await runs.output(later, 2)).toBeUndefined();
      expect(await runs.output(later, 0)).toBeUndefined();
      expect(await runs.loadTurn(run.id)).toEqual({ run: later, journal: [] });
      expect(await runs.loadTurn(randomUUID())).toBeUndefined();
    });

    test("a turn is read without the long texts that its reader may not read", async () => {
      const run = await created(runs);
      const [short, long] = [answered(1, 1), answered(1, 2, largeText(1))];
      for (const [index, entry] of [short, long].entries()) {
        expect(await runs.change({ ...onTurn(run), ...numbered(1 + index, { entries: [entry] }) })).toBe(true);
      }
      const read = await runs.loadShortTurn(run.id);
      expect(read).toMatchObject({
        run: { id: run.id, sequence: 3 },
        journal: [{ step: 1, sequence: 2 }, read?.journal[1]],
      });
      expect(read?.journal).toHaveLength(2);
      expect([2, undefined]).toContain(read?.journal[1]?.step); // undefined on AWS
      expect(await runs.loadShortTurn(randomUUID())).toBeUndefined();
    });

    test("a run is created with the record of earlier turns, and continues after it", async () => {
      const run = newRun({ turn: 2, sequence: 7 });
      const at = 1_763_000_000_500;
      const messages = [
        { ...input(1, "größe"), sequence: 1, at },
        { ...output(1, largeText(1)), sequence: 4, at },
        { ...input(2, "next"), sequence: 5, at },
      ];
      const entries = [
        { ...answered(1, 1), sequence: 2, at },
        { ...resulted(1, 1), sequence: 3, at },
        { ...answered(2, 1, largeText(2)), sequence: 6, at },
        { ...resulted(2, 1), sequence: 7, at },
      ];
      const summary = { throughTurn: 1, text: "What came before." };
      expect(await runs.create(run, messages, { entries, summary })).toBe("created");
      const transcript = messages.map(({ role, text }) => ({ role, text }));
      expect(await runs.load(run.id)).toEqual({ run, transcript, journal: entries.slice(2), queue: [], summary });
      expect(await runs.loadTurn(run.id)).toMatchObject({ run, journal: entries.slice(2) });
      expect(await runs.read(run.id)).toEqual({ run, transcript });
      const all = [...messages, ...entries].toSorted((a, b) => a.sequence - b.sequence);
      expect(await runs.listEvents(run.id, 0, 10)).toEqual(all);
      expect(await runs.listEvents(run.id, 3, 2)).toEqual(all.slice(3, 5));
      const bytes = messages.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
      expect(await runs.transcriptBytes(run.id)).toBe(bytes);
      expect(await runs.output(run, 1)).toBe(largeText(1));
      expect(await runs.change({ ...onTurn(run), ...numbered(7, { entries: [answered(2, 2)] }) })).toBe(true);
      expect((await runs.loadTurn(run.id))?.journal).toHaveLength(3);
    });

    test("a run is not created with events that have a gap, a number twice, or are not as many as the run says", async () => {
      const at = 1;
      const first = { ...input(1, "first"), sequence: 1, at };
      for (const [sequence, numbers] of [
        [3, [3]],
        [2, [1]],
        [3, [2]],
        [1, [2]],
      ] as const) {
        const run = newRun({ sequence });
        const entries = numbers.map((number) => Object.assign(answered(1, 1), { sequence: number, at }));
        await expect(runs.create(run, [first], { entries })).rejects.toThrow("numbered from 1 without a gap");
        expect(await runs.head(run.id)).toBeUndefined();
      }
    });

    test("a run without input is idle and has an empty transcript", async () => {
      const run = newRun({ status: "finished", turn: 0 });
      await runs.create(run, []);
      expect(await runs.read(run.id)).toEqual({ run, transcript: [] });
      expect(await runs.load(run.id)).toEqual({ run, transcript: [], journal: [], queue: [] });
    });

    test.each(texts)("a run with an input of $name reads back", async ({ text }) => {
      const run = newRun();
      await runs.create(run, firstMessages(input(1, text)));
      expect(await runs.read(run.id)).toEqual({ run, transcript: [{ role: "input_to_agent", text }] });
    });

    test("creating an existing id is rejected and changes nothing", async () => {
      const run = await created(runs);
      const again = runs.create(
        { ...run, name: "other", organizationId: randomUUID() },
        firstMessages(input(1, "second")),
      );
      await expect(again).rejects.toThrow(Error);
      expect(await runs.read(run.id)).toEqual({ run, transcript: [{ role: "input_to_agent", text: "first" }] });
    });

    test.each(texts)("a text of $name reads back unchanged", async ({ text }) => {
      const run = newRun();
      await runs.create(run, firstMessages(input(1, text)));
      const entry = { turn: 1, step: 1, part: "answer", answer: { ...anAnswer, text } } as const;
      await runs.change({ ...onTurn(run), ...numbered(1, { entries: [entry] }) });
      const set = { status: "finished", turn: 1, updatedAt: 2 } as const;
      expect(await runs.change({ ...onTurn(run), set, ...numbered(2, { messages: [output(1, text)] }) })).toBe(true);

      const transcript = [input(1, text), output(1, text)].map(({ turn: _turn, ...message }) => message);
      const found = await runs.load(run.id);
      expect(found?.transcript).toEqual(transcript);
      expect(found?.journal).toEqual(recorded(1, [entry]));
      expect((await runs.read(run.id))?.transcript).toEqual(transcript);
    });
  });

  describe("order", () => {
    test("a transcript of 12 turns is oldest first, with the journal of the current turn only", async () => {
      const run = newRun({ status: "finished", turn: 0 });
      await runs.create(run, []);
      for (let turn = 1; turn <= 12; turn++) {
        const running = { status: "running", turn } as const;
        await applied({
          runId: run.id,
          expect: { status: "finished", turn: turn - 1 },
          set: { ...running, updatedAt: turn },
          ...numbered(3 * turn - 3, { messages: [input(turn, `in ${turn}`)] }),
        });
        await applied({
          runId: run.id,
          expect: running,
          ...numbered(3 * turn - 2, { entries: [answered(turn, 1)] }),
        });
        expect((await runs.load(run.id))?.journal).toEqual(recorded(3 * turn - 2, [answered(turn, 1)]));
        await applied({
          runId: run.id,
          expect: running,
          set: { status: "finished", turn, updatedAt: turn },
          ...numbered(3 * turn - 1, { messages: [output(turn, `out ${turn}`)] }),
        });
      }
      const texts = Array.from({ length: 12 }, (_, index) => [`in ${index + 1}`, `out ${index + 1}`]).flat();
      const [read, loaded] = [await runs.read(run.id), await runs.load(run.id)];
      expect(read?.transcript.map(({ text }) => text)).toEqual(texts);
      expect(loaded).toEqual({ ...read, journal: recorded(34, [answered(12, 1)]), queue: [] });
      expect(read).not.toHaveProperty("journal");

      async function applied(change: RunChange): Promise<void> {
        expect(await runs.change(change)).toBe(true);
      }
    });

    test("480 journal entries are in the order of recording", async () => {
      const run = await created(runs);
      const steps = Array.from({ length: 120 }, (_, index) => [
        answered(1, index + 1),
        { turn: 1, step: index + 1, part: "began", call: 0 } as const,
        resulted(1, index + 1, 11),
        resulted(1, index + 1, 2),
      ]).flat();
      for (let first = 0; first < steps.length; first += 10) {
        const events = numbered(first + 1, { entries: steps.slice(first, first + 10) });
        expect(await runs.change({ ...onTurn(run), ...events })).toBe(true);
      }
      expect((await runs.load(run.id))?.journal).toEqual(recorded(1, steps));
    });

    test("a transcript of 4 MB of inline texts is read completely", async () => {
      const run = newRun({ turn: 40, sequence: 40 });
      const messages = Array.from({ length: 40 }, (_, n) => [
        input(n + 1, inlineText(n + 1)),
        output(n + 1, inlineText(-n)),
      ]).flat();
      const half = messages.length / 2;
      await runs.create(run, firstMessages(...messages.slice(0, half)));
      expect(await runs.change({ ...onTurn(run), ...numbered(40, { messages: messages.slice(half) }) })).toBe(true);
      const steps = Array.from({ length: 30 }, (_, n) => answered(40, n + 1, inlineText(n)));
      expect(await runs.change({ ...onTurn(run), ...numbered(80, { entries: steps }) })).toBe(true);

      const found = await runs.load(run.id);
      expect(found?.transcript.map(({ role, text }) => `${role} ${text.slice(0, 6)} ${text.length}`)).toEqual(
        messages.map(({ role, text }) => `${role} ${text.slice(0, 6)} ${text.length}`),
      );
      expect(found?.journal.map(({ step }) => step)).toEqual(steps.map(({ step }) => step));
      expect((await runs.read(run.id))?.transcript).toEqual(found?.transcript);
    });

    test("tool results of 5 MB are read completely", async () => {
      const run = await created(runs);
      const text = "0123456789abcdé€".repeat(300_000);
      const steps = [resulted(1, 1, 0, text), resulted(1, 1, 1, "")];
      expect(await runs.change({ ...onTurn(run), ...numbered(1, { entries: steps }) })).toBe(true);
      const found = await runs.load(run.id);
      expect(found?.journal[0]?.part === "result" && found.journal[0].result.text === text).toBe(true);
      expect(found?.journal[1]).toEqual(recorded(1, steps)[1]);
    });

    test("a model response reads back unchanged", async () => {
      const run = await created(runs);
      const answer: ModelAnswer = {
        text: "",
        toolCalls: [
          {
            id: "c1",
            name: "write_file",
            input: { name: "a", nested: [1, null, { "": [] }], big: 2 ** 53 - 1, f: 0.1 },
          },
          {
            id: "c3",
            name: "pay",
            input: { id: 2 ** 53 },
            json: '{"id":9007199254740993}',
            sent: { name: "functions.pay" },
          },
          { id: "c2", name: "nonsense", input: "{not json", invalid: "There is no such tool." },
        ],
        finishReason: "tool-calls",
        usage: { inputTokens: 12, outputTokens: 0 },
        echo: [{ type: "reasoning", text: "…", signature: "c2ln", empty: {}, none: null, list: [[]] }],
      };
      const entry = { turn: 1, step: 1, part: "answer", answer } as const;
      expect(await runs.change({ ...onTurn(run), ...numbered(1, { entries: [entry] }) })).toBe(true);
      expect((await runs.load(run.id))?.journal).toEqual(recorded(1, [entry]));
    });
  });

  describe("lists", () => {
    test("only running runs are listed as running, with their turn", async () => {
      const all = await Promise.all(Array.from({ length: 40 }, () => created(runs)));
      const idle = newRun({ status: "finished", turn: 0 });
      await runs.create(idle, []);
      const ids = new Set([...all, idle].map(({ id }) => id));
      const among = async () => (await runs.listRunning()).filter(({ id }) => ids.has(id)).toSorted(byId);
      await listed(among, asRunning(all));

      const statuses = ["finished", "technical_error", "terminated"] as const;
      for (const [index, status] of statuses.entries()) {
        const run = all[index];
        if (run) await runs.change({ ...onTurn(run), set: { status, turn: 1, updatedAt: 7 } });
      }
      await listed(among, asRunning(all.slice(3)));

      const [again] = all;
      if (!again) throw new Error("no run was created");
      const set = { status: "running", turn: 2, updatedAt: 8 } as const;
      await runs.change({ runId: again.id, expect: { status: "finished", turn: 1 }, set });
      await runs.change({ runId: idle.id, expect: { status: "finished", turn: 0 }, set: { ...set, turn: 1 } });
      await listed(among, asRunning([{ ...again, ...set }, { ...idle, ...set, turn: 1 }, ...all.slice(3)]));
    });
  });
}

const texts = [
  { name: "no characters", text: "" },
  { name: "a blank", text: " " },
  { name: "a NUL alone", text: "\u0000" },
  { name: "controls", text: "a\u0000b\u0001\u001f\u007f\u0080\u2028\ufeff\r\n\t" },
  { name: "emoji and scripts", text: "👩‍👩‍👧‍👦 🏳️‍🌈 日本語 עברית e\u0301 \ufffd \u{10ffff}" },
  { name: "quotes and escapes", text: `"\\u0000" \\ 'x' \${y} %s {"a":1} -- ; DROP` },
  { name: "1 MB", text: "0123456789".repeat(100_000) },
  { name: "1 MB in three-byte characters", text: "€".repeat(333_333) },
  ...[64 * 1024, 350_000, 400 * 1024].flatMap((bytes) =>
    [-1, 0, 1].map((more) => ({ name: `${bytes} bytes and ${more}`, text: "x".repeat(bytes + more) })),
  ),
];

function asRunning(all: Run[]): Pick<Run, "id" | "turn" | "updatedAt">[] {
  return all.map(({ id, turn, updatedAt }) => ({ id, turn, updatedAt })).toSorted(byId);
}

import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { Failure, ModelAnswer } from "../../lambdas/agent/model.ts";
import type { Run, RunChange, Runs, StepRecord, TurnMessage } from "../../lambdas/runs/ports.ts";
import { listed } from "./listed.ts";

/** The contract of `Runs`. `open` is called once; the tests make runs of their own and need no empty store. */
export function describeRuns(open: () => Promise<Runs>): void {
  describe("runs", () => {
    let runs: Runs;
    beforeAll(async () => {
      runs = await open();
    });

    /** A stored run that is running on turn 1, whose input is "first". */
    async function created(fields: Partial<Run> = {}): Promise<Run> {
      const run = newRun(fields);
      await runs.create(run, [input(1, "first")]);
      return run;
    }

    describe("create and read", () => {
      test("a run that was never created is undefined", async () => {
        expect(await runs.read(randomUUID())).toBeUndefined();
        expect(await runs.load(randomUUID())).toBeUndefined();
      });

      test("a run reads back with its first message as soon as create resolves", async () => {
        const run = await created({ name: "Überprüfung 日本 🚀 \u0000 end" });
        const transcript = [{ role: "input_to_agent", text: "first" }];
        expect(await runs.read(run.id)).toEqual({ run, transcript });
        expect(await runs.load(run.id)).toEqual({ run, transcript, steps: [] });
      });

      test("a run without input is idle and has an empty transcript", async () => {
        const run = newRun({ status: "finished", turn: 0 });
        await runs.create(run, []);
        expect(await runs.read(run.id)).toEqual({ run, transcript: [] });
        expect(await runs.load(run.id)).toEqual({ run, transcript: [], steps: [] });
      });

      test("creating an id again is refused and changes nothing", async () => {
        const run = await created();
        const again = runs.create({ ...run, name: "other", organizationId: randomUUID() }, [input(1, "second")]);
        await expect(again).rejects.toThrow(Error);
        expect(await runs.read(run.id)).toEqual({ run, transcript: [{ role: "input_to_agent", text: "first" }] });
      });

      test.each(texts)("a text of $name comes back to the letter", async ({ text }) => {
        const run = newRun();
        await runs.create(run, [input(1, text)]);
        const answer = { ...anAnswer, text };
        await runs.change({ ...onTurn(run), steps: [{ turn: 1, step: 1, part: "answer", answer }] });
        const set = { status: "finished", turn: 1, updatedAt: 2 } as const;
        expect(await runs.change({ ...onTurn(run), set, messages: [output(1, text)] })).toBe(true);

        const transcript = [input(1, text), output(1, text)].map(({ turn: _turn, ...message }) => message);
        const found = await runs.load(run.id);
        expect(found?.transcript).toEqual(transcript);
        expect(found?.steps).toEqual([{ turn: 1, step: 1, part: "answer", answer }]);
        expect((await runs.read(run.id))?.transcript).toEqual(transcript);
      });
    });

    describe("change", () => {
      test("sets status, turn and time, and leaves the rest of the run alone", async () => {
        const run = await created();
        const set = { status: "finished", turn: 1, updatedAt: run.updatedAt + 5_000 } as const;
        expect(await runs.change({ ...onTurn(run), set })).toBe(true);
        expect((await runs.read(run.id))?.run).toEqual({ ...run, ...set });
      });

      test("sets a failure with the status", async () => {
        const run = await created();
        const set = { status: "technical_error", turn: 1, updatedAt: 7, failure } as const;
        expect(await runs.change({ ...onTurn(run), set })).toBe(true);
        expect((await runs.read(run.id))?.run).toEqual({ ...run, ...set });
      });

      test("message and status appear together", async () => {
        const run = await created();
        const set = { status: "finished", turn: 1, updatedAt: 7 } as const;
        expect(await runs.change({ ...onTurn(run), set, messages: [output(1, "done")] })).toBe(true);
        expect(await runs.read(run.id)).toEqual({
          run: { ...run, ...set },
          transcript: [
            { role: "input_to_agent", text: "first" },
            { role: "output_from_agent", text: "done" },
          ],
        });
      });

      test("records messages and steps without touching the run", async () => {
        const run = await created();
        expect(await runs.change({ ...onTurn(run), messages: [output(1, "early")] })).toBe(true);
        expect(await runs.change({ ...onTurn(run), steps: [answered(1, 1)] })).toBe(true);
        const found = await runs.load(run.id);
        expect(found?.run).toEqual(run);
        expect(found?.transcript.map(({ text }) => text)).toEqual(["first", "early"]);
        expect(found?.steps).toEqual([answered(1, 1)]);
      });

      test("with nothing to write it tells whether the run is as expected", async () => {
        const run = await created();
        expect(await runs.change(onTurn(run))).toBe(true);
        expect(await runs.change({ runId: run.id, expect: { status: "finished", turn: 1 } })).toBe(false);
        expect((await runs.load(run.id))?.run).toEqual(run);
      });

      const lost: [string, (run: Run) => Partial<RunChange>][] = [
        ["another status", () => ({ expect: { status: "finished", turn: 1 } })],
        ["an earlier turn", () => ({ expect: { status: "running", turn: 0 } })],
        ["a later turn", () => ({ expect: { status: "running", turn: 2 } })],
        ["a message that exists", () => ({ messages: [output(1, "new"), input(1, "other")] })],
        ["a step record that exists", () => ({ steps: [answered(1, 2), answered(1, 1, "other")] })],
        ["a message that exists, of a large text", () => ({ messages: [input(1, "large".repeat(100_000))] })],
      ];
      test.each(lost)("expecting %s: false, and nothing of it is applied", async (_, difference) => {
        const run = await created();
        await runs.change({ ...onTurn(run), steps: [answered(1, 1)] });
        const before = await runs.load(run.id);
        const whole: RunChange = {
          ...onTurn(run),
          set: { status: "technical_error", turn: 1, updatedAt: 99, failure },
          messages: [output(1, "new")],
          steps: [answered(1, 2)],
          ...difference(run),
        };
        expect(await runs.change(whole)).toBe(false);
        expect(await runs.load(run.id)).toEqual(before);
        // What it would have written besides is still free to be written.
        expect(await runs.change({ ...onTurn(run), messages: [output(1, "x")], steps: [answered(1, 2)] })).toBe(true);
      });

      test("a run that does not exist: false, and it still does not exist", async () => {
        const missing = newRun();
        const set = { status: "finished", turn: 1, updatedAt: 7 } as const;
        expect(await runs.change({ ...onTurn(missing), set })).toBe(false);
        expect(await runs.change({ ...onTurn(missing), messages: [output(1, "x")] })).toBe(false);
        expect(await runs.change({ ...onTurn(missing), steps: [answered(1, 1)] })).toBe(false);
        expect(await runs.load(missing.id)).toBeUndefined();
        await runs.create(missing, [input(1, "first")]);
        expect((await runs.load(missing.id))?.steps).toEqual([]);
      });

      test("the same change a second time loses", async () => {
        const run = await created();
        const step = { ...onTurn(run), steps: [answered(1, 1)] };
        expect(await runs.change(step)).toBe(true);
        expect(await runs.change(step)).toBe(false);
        const set = { status: "finished", turn: 1, updatedAt: 7 } as const;
        expect(await runs.change({ ...onTurn(run), set })).toBe(true);
        expect(await runs.change({ ...onTurn(run), set })).toBe(false);
      });

      test("of 20 writers of a final status exactly one wins, and its message is the one that is kept", async () => {
        const run = await created();
        const results = await Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            runs.change({
              ...onTurn(run),
              set: { status: index % 2 === 0 ? "finished" : "technical_error", turn: 1, updatedAt: index },
              messages: [output(1, `writer ${index}`)],
            }),
          ),
        );
        expect(results.filter(Boolean)).toHaveLength(1);
        const winner = results.indexOf(true);
        const found = await runs.read(run.id);
        expect(found?.run).toMatchObject({
          updatedAt: winner,
          status: winner % 2 === 0 ? "finished" : "technical_error",
        });
        expect(found?.transcript.map(({ text }) => text)).toEqual(["first", `writer ${winner}`]);
      });

      test("of 20 equal step records exactly one wins", async () => {
        const run = await created();
        const change = { ...onTurn(run), steps: [answered(1, 1)] };
        const results = await Promise.all(Array.from({ length: 20 }, () => runs.change(change)));
        expect(results.filter(Boolean)).toHaveLength(1);
        expect((await runs.load(run.id))?.steps).toEqual([answered(1, 1)]);
      });

      test("of 20 large texts for one place the winner's is the one that is kept", async () => {
        const run = await created();
        const results = await Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            runs.change({ ...onTurn(run), messages: [output(1, largeText(index))] }),
          ),
        );
        expect(results.filter(Boolean)).toHaveLength(1);
        const found = await runs.read(run.id);
        expect(found?.transcript[1]?.text === largeText(results.indexOf(true))).toBe(true);
      });

      test("writers of different steps of one run do not disturb each other", async () => {
        const run = await created();
        const steps = Array.from({ length: 10 }, (_, index) => answered(1, index + 1));
        const results = await Promise.all(steps.map((step) => runs.change({ ...onTurn(run), steps: [step] })));
        expect(results.every(Boolean)).toBe(true);
        expect((await runs.load(run.id))?.steps).toEqual(steps);
      });
    });

    describe("order", () => {
      test("a transcript of 12 turns is oldest first, and only the current turn's steps are loaded", async () => {
        const run = newRun({ status: "finished", turn: 0 });
        await runs.create(run, []);
        for (let turn = 1; turn <= 12; turn++) {
          const running = { status: "running", turn } as const;
          await applied({
            runId: run.id,
            expect: { status: "finished", turn: turn - 1 },
            set: { ...running, updatedAt: turn },
            messages: [input(turn, `in ${turn}`)],
          });
          await applied({ runId: run.id, expect: running, steps: [answered(turn, 1)] });
          expect((await runs.load(run.id))?.steps).toEqual([answered(turn, 1)]);
          await applied({
            runId: run.id,
            expect: running,
            set: { status: "finished", turn, updatedAt: turn },
            messages: [output(turn, `out ${turn}`)],
          });
        }
        const texts = Array.from({ length: 12 }, (_, index) => [`in ${index + 1}`, `out ${index + 1}`]).flat();
        const [read, loaded] = [await runs.read(run.id), await runs.load(run.id)];
        expect(read?.transcript.map(({ text }) => text)).toEqual(texts);
        expect(loaded).toEqual({ ...read, steps: [answered(12, 1)] });
        expect(read).not.toHaveProperty("steps");

        async function applied(change: RunChange): Promise<void> {
          expect(await runs.change(change)).toBe(true);
        }
      });

      test("120 steps come in order of step and part, whatever order they were written in", async () => {
        const run = await created();
        const steps = Array.from({ length: 120 }, (_, index) => [
          answered(1, index + 1),
          resulted(1, index + 1),
        ]).flat();
        const shuffled = steps.map((step, index) => ({ step, place: (index * 97) % 240 }));
        for (const { step } of shuffled.toSorted((a, b) => a.place - b.place)) {
          expect(await runs.change({ ...onTurn(run), steps: [step] })).toBe(true);
        }
        expect((await runs.load(run.id))?.steps).toEqual(steps);
      });

      test("a transcript of 4 MB comes back complete, from texts that are stored with the run", async () => {
        const run = newRun({ turn: 40 });
        const messages = Array.from({ length: 40 }, (_, n) => [
          input(n + 1, inlineText(n + 1)),
          output(n + 1, inlineText(-n)),
        ]).flat();
        const half = messages.length / 2;
        await runs.create(run, messages.slice(0, half));
        expect(await runs.change({ ...onTurn(run), messages: messages.slice(half) })).toBe(true);
        const steps = Array.from({ length: 30 }, (_, n) => answered(40, n + 1, inlineText(n)));
        expect(await runs.change({ ...onTurn(run), steps })).toBe(true);

        const found = await runs.load(run.id);
        expect(found?.transcript.map(({ role, text }) => `${role} ${text.slice(0, 6)} ${text.length}`)).toEqual(
          messages.map(({ role, text }) => `${role} ${text.slice(0, 6)} ${text.length}`),
        );
        expect(found?.steps.map(({ step }) => step)).toEqual(steps.map(({ step }) => step));
        expect((await runs.read(run.id))?.transcript).toEqual(found?.transcript);
      });

      test("step results of 5 MB come back complete", async () => {
        const run = await created();
        const text = "0123456789abcdé€".repeat(300_000);
        const results = [
          { callId: "1", name: "read_file", text },
          { callId: "2", name: "read_file", text: "", error: true as const },
        ];
        expect(await runs.change({ ...onTurn(run), steps: [{ turn: 1, step: 1, part: "results", results }] })).toBe(
          true,
        );
        const [step] = (await runs.load(run.id))?.steps ?? [];
        expect(step?.part === "results" && step.results[0]?.text === text).toBe(true);
        expect(step?.part === "results" && step.results[1]).toEqual(results[1]);
      });

      test("an answer comes back with everything in it", async () => {
        const run = await created();
        const answer: ModelAnswer = {
          text: "",
          toolCalls: [
            {
              id: "c1",
              name: "write_file",
              input: { name: "a", nested: [1, null, { "": [] }], big: 2 ** 53 - 1, f: 0.1 },
            },
            { id: "c2", name: "nonsense", input: "{not json", invalid: "There is no such tool." },
          ],
          finishReason: "tool-calls",
          usage: { inputTokens: 12, outputTokens: 0 },
          echo: [{ type: "reasoning", text: "…", signature: "c2ln", empty: {}, none: null, list: [[]] }],
        };
        expect(await runs.change({ ...onTurn(run), steps: [{ turn: 1, step: 1, part: "answer", answer }] })).toBe(true);
        expect((await runs.load(run.id))?.steps).toEqual([{ turn: 1, step: 1, part: "answer", answer }]);
      });
    });

    describe("lists", () => {
      test("an agent's runs are listed newest first, up to the limit, with their current status", async () => {
        const agentId = randomUUID();
        const times = [5, 1_763_000_000_000, 40, 300, 2, 1_763_000_000_001, 1_000, 99_999];
        const all = await Promise.all(times.map((createdAt) => created({ agentId, createdAt })));
        await created();
        const [changed, ...others] = all;
        if (!changed) throw new Error("no run was created");
        const set = { status: "technical_error", turn: 1, updatedAt: 7, failure } as const;
        await runs.change({ ...onTurn(changed), set });
        const expected = [{ ...changed, ...set }, ...others].toSorted((a, b) => b.createdAt - a.createdAt);
        await listed(() => runs.listByAgent(agentId, 100), expected);
        await listed(() => runs.listByAgent(agentId, times.length), expected);
        expect(await runs.listByAgent(agentId, 3)).toEqual(expected.slice(0, 3));
        expect(await runs.listByAgent(agentId, 1)).toEqual(expected.slice(0, 1));
        expect(await runs.listByAgent(randomUUID(), 10)).toEqual([]);
      });

      test("a list of 60 runs is cut at the newest", async () => {
        const agentId = randomUUID();
        const all = await Promise.all(Array.from({ length: 60 }, (_, index) => created({ agentId, createdAt: index })));
        const newest = all.toReversed();
        await listed(() => runs.listByAgent(agentId, 60), newest);
        expect(await runs.listByAgent(agentId, 25)).toEqual(newest.slice(0, 25));
      });

      test("running runs are listed while they run, with their turn, and no others", async () => {
        const all = await Promise.all(Array.from({ length: 40 }, () => created()));
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
  });
}

const failure: Failure = { category: "internal", title: "It broke.", remedy: "Mend it: \u0000 ü.", retryable: false };

const anAnswer: ModelAnswer = {
  text: "Done.",
  toolCalls: [],
  finishReason: "stop",
  usage: { inputTokens: 1, outputTokens: 1 },
};

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

/** Too large to be stored with the run where texts of some size are stored elsewhere. */
function largeText(index: number): string {
  return `${index} `.repeat(60_000);
}

/** 50 KB. */
function inlineText(index: number): string {
  return `${index}:${"0123456789".repeat(5_000)}`;
}

function asRunning(all: Run[]): Pick<Run, "id" | "turn" | "updatedAt">[] {
  return all.map(({ id, turn, updatedAt }) => ({ id, turn, updatedAt })).toSorted(byId);
}

function newRun(fields: Partial<Run> = {}): Run {
  return {
    id: randomUUID(),
    agentId: randomUUID(),
    organizationId: randomUUID(),
    name: "Run",
    status: "running",
    turn: 1,
    createdAt: 1_763_000_000_000,
    updatedAt: 1_763_000_000_000,
    ...fields,
  };
}

function onTurn(run: Run): Pick<RunChange, "runId" | "expect"> {
  return { runId: run.id, expect: { status: run.status, turn: run.turn } };
}

function input(turn: number, text: string): TurnMessage {
  return { turn, role: "input_to_agent", text };
}

function output(turn: number, text: string): TurnMessage {
  return { turn, role: "output_from_agent", text };
}

function answered(turn: number, step: number, text = `answer ${turn}.${step}`): StepRecord {
  return { turn, step, part: "answer", answer: { ...anAnswer, text } };
}

function resulted(turn: number, step: number): StepRecord {
  return { turn, step, part: "results", results: [{ callId: "c", name: "list_files", text: `${turn}.${step}` }] };
}

function byId(a: { id: string }, b: { id: string }): number {
  return a.id < b.id ? -1 : 1;
}

import { describe, expect, test } from "vitest";
import { RunModel } from "../../../console/run/model/run-model.ts";
import { median } from "../../../console/run/model/tool-totals.ts";
import { Recorder } from "./recorder.ts";

function modelOf(record: (recorder: Recorder) => void): RunModel {
  const recorder = new Recorder();
  record(recorder);
  const model = new RunModel();
  model.add(recorder.events);
  return model;
}

const kinds = (model: RunModel): string[] => model.rows.map(({ kind }) => kind);

test("folds a turn into its steps, calls and messages", () => {
  const model = modelOf((run) => {
    run.input("Add the numbers.").answer("I read both.", ["read_file", "read_file"], 1_000);
    run.result(0, 40).result(1, 60, { is_error: true }).answer("42", [], 2_000).output("42");
  });

  expect(kinds(model)).toEqual(["turn", "message", "step", "step", "message"]);
  const [first, second] = model.steps;
  expect(first).toMatchObject({ turn: 1, step: 1, milliseconds: 1_000, answered: true });
  expect(first?.calls.map(({ milliseconds, failed }) => [milliseconds, failed])).toEqual([
    [40, false],
    [60, true],
  ]);
  // Parallel calls begin together.
  expect(first?.calls[0]?.startedAt).toBe(first?.calls[1]?.startedAt);
  expect(second?.calls).toEqual([]);
  expect(model).toMatchObject({ calls: 2, failedCalls: 1, gaps: [] });
  expect(model.turns[0]?.tokens).toBe(2 * 110);
});

test("folds events in any number of parts to the same rows", () => {
  const recorder = new Recorder().input("Go.");
  for (let step = 0; step < 5; step++) recorder.answer("", ["write_file"], 300).result(0, 20);
  recorder.answer("Done.", [], 300).output("Done.");
  const once = new RunModel();
  once.add(recorder.events);
  const singly = new RunModel();
  for (const event of recorder.events) singly.add([event]);
  singly.add(recorder.events); // a stream that repeats events

  expect(singly.rows).toEqual(once.rows);
  expect(singly.points).toEqual(once.points);
});

test("shows what a call prints until its result arrives", () => {
  const recorder = new Recorder().input("Go.").answer("", ["run_shell", "run_shell"], 300);
  const model = new RunModel();
  model.add(recorder.events);
  const output = { step: 1, call: 1, text: "row 2\n", characters: 12 };
  model.print(output);
  model.print({ ...output, step: 7 }); // of a step whose answer has not arrived
  expect(model.steps[0]?.calls.map(({ printed }) => printed)).toEqual([undefined, { text: "row 2\n", length: 12 }]);
  model.print({ ...output, text: "row 3\n", characters: 18 });
  expect(model.steps[0]?.calls[1]?.printed).toEqual({ text: "row 3\n", length: 18 });
  model.add(recorder.result(0, 20).events);
  model.print({ ...output, call: 0 }); // it was on its way when the call ended
  expect(model.steps[0]?.calls[0]).toMatchObject({ result: { text: "ok" } });
  expect(model.steps[0]?.calls[0]?.printed).toBeUndefined();
});

describe("interruptions", () => {
  test("are recorded between two steps, with the time since the last event", () => {
    const model = modelOf((run) =>
      run.input("Go.").answer("", ["a"], 700).result(0, 5).pass(318).resumed().answer("Done.", [], 700),
    );

    expect(kinds(model)).toEqual(["turn", "message", "step", "gap", "step"]);
    expect(model.gaps).toMatchObject([{ stepsKept: 1, repeats: "model_call", step: 2, reason: "restart", calls: [] }]);
    expect((model.gaps[0]?.until ?? 0) - (model.gaps[0]?.from ?? 0)).toBe(318);
  });

  test("name the tool calls that had no result", () => {
    const model = modelOf((run) =>
      run.input("Go.").answer("", ["a", "b", "c"], 700).result(0, 5).resumed([1, 2]).result(1, 10).result(2, 30),
    );

    expect(model.gaps).toMatchObject([{ repeats: "tool_calls", stepsKept: 1 }]);
    expect(model.gaps[0]?.calls.map(({ name }) => name)).toEqual(["b", "c"]);
    expect(model.steps[0]?.calls.map(({ interrupted }) => interrupted)).toEqual([undefined, "repeated", "repeated"]);
  });

  test("before the first answer of a turn belong to the turn", () => {
    const model = modelOf((run) => run.input("Go.").pass(50_000).resumed().answer("Done.", [], 100));
    expect(kinds(model)).toEqual(["turn", "message", "gap", "step"]);
    expect(model.gaps).toMatchObject([{ stepsKept: 0, step: 1 }]);
  });

  test("leave the outcome of a call with effects unknown", () => {
    const text = "This call was interrupted. It may or may not have taken effect. It was not repeated.";
    const model = modelOf((run) =>
      run.input("Go.").answer("", ["send"], 700).started(0).resumed([0]).result(0, 0, { text, is_error: true }),
    );

    expect(model.gaps[0]?.calls).toMatchObject([{ name: "send" }]);
    expect(model.steps[0]?.calls[0]?.interrupted).toBe("unknown");
  });

  test.each([
    [
      "late model calls",
      (run: Recorder) => run.input("Go.").answer("", ["a"], 9).result(0, 5).pass(9_000).answer("Done.", [], 9),
    ],
    [
      "late tool calls",
      (run: Recorder) => run.input("Go.").answer("", ["a", "b"], 9).result(0, 5).pass(9_000).result(1, 9),
    ],
    ["a wait for a slot", (run: Recorder) => run.input("Go.").pass(60_000).answer("Done.", [], 100)],
    [
      "a wait of the workflow",
      (run: Recorder) => run.input("Go.").failed(null, true).pass(90_000).answer("Done.", [], 100),
    ],
    ["events without times", (run: Recorder) => run.untimed().input("Go.").answer("Done.", [], 100)],
  ])("are not guessed from %s", (_, record) => {
    const model = modelOf(record);
    expect(model.gaps).toEqual([]);
    expect(model.steps.flatMap(({ calls }) => calls.filter(({ interrupted }) => interrupted))).toEqual([]);
  });
});

test("a wait ends when the next attempt starts", () => {
  const model = modelOf((run) =>
    run.input("Go.").failed(4_000).pass(4_000).failed(8_400).pass(8_400).answer("Done.", [], 500),
  );

  const [step] = model.steps;
  expect(step?.attempts.map(({ endedAt, resumedAt }) => (resumedAt ?? 0) - (endedAt ?? 0))).toEqual([4_000, 8_400]);
  expect(model.steps).toHaveLength(1);
  expect(model.failedAttempts).toBe(2);
});

test("shows idle time between turns and the limit that ended one", () => {
  const model = modelOf((run) => {
    run.input("Go.").answer("Cut.", [], 100, { ended: "steps" }).output("Cut.").pass(300_000);
    run.input("Go on.").answer("Done.", [], 100).output("Done.");
  });

  expect(kinds(model)).toEqual([
    "turn",
    "message",
    "step",
    "limit",
    "message",
    "idle",
    "turn",
    "message",
    "step",
    "message",
  ]);
  expect(model.turns.map(({ ended }) => ended)).toEqual(["steps", undefined]);
});

test("an input that was queued starts its turn without idle time", () => {
  const model = modelOf((run) => run.input("Go.").answer("Done.", [], 100).output("Done.").input("Go on."));
  expect(kinds(model).filter((kind) => kind === "idle")).toEqual([]);
});

test("a summary is a row, and its usage counts", () => {
  const model = modelOf((run) => run.input("Go.").summary(400).answer("Done.", [], 100));
  expect(kinds(model)).toEqual(["turn", "message", "summary", "step"]);
  expect(model.points.map(({ tokens }) => tokens)).toEqual([110, 220]);
});

test("totals of a tool", () => {
  const model = modelOf((run) =>
    run.input("Go.").answer("", ["a", "a", "a"], 100).result(0, 30).result(1, 10, { is_error: true }).result(2, 500),
  );
  const total = model.tools.get("a");
  expect(total).toMatchObject({ calls: 3, failed: 1, milliseconds: 540, slowest: 500 });
  expect(total && median(total)).toBe(30);
});

test("cost is not recorded from the first step without prices on", () => {
  const model = modelOf((run) =>
    run.input("Go.").answer("", ["a"], 100, { dollars: null }).result(0, 1).answer("Done.", [], 100),
  );
  expect(model.points.map(({ priced, dollars }) => [priced, dollars])).toEqual([
    [false, 0],
    [false, 0.01],
  ]);
});

test("keeps the length of a text that was cut", () => {
  const model = modelOf((run) =>
    run
      .input("Go.")
      .answer("", ["a"], 100)
      .result(0, 1, { text: "abc", cut: { text: 90_000 } }),
  );
  expect(model.steps[0]?.calls[0]?.result).toEqual({ text: "abc", length: 90_000 });
});

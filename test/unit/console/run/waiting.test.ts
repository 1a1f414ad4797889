import { expect, test } from "vitest";
import { RunModel } from "../../../../console/run/model/run-model.ts";
import { begunAt, waitedMs, waitOf, workedMs } from "../../../../console/run/model/waiting.ts";
import { barsOf } from "../../../../console/run/timeline/bars.ts";
import { answerText, consequence, expiredText } from "../../../../console/run/waiting/ask-words.ts";
import { isSoon, leftText } from "../../../../console/run/waiting/time-left.ts";
import { Recorder } from "../recorder.ts";

const hour = 3_600_000;

function modelOf(recorder: Recorder): RunModel {
  const model = new RunModel();
  model.add(recorder.events);
  return model;
}

const waiting = (): Recorder =>
  new Recorder().input("Go.").answer("", ["read_file", "run_shell", "write_file"], 1_000).result(0, 100).asked(1, 2);

test("a call that waits has no working time and no interruption", () => {
  const model = modelOf(waiting());
  const [step] = model.steps;
  expect(step?.calls.map(({ asked }) => asked?.kind)).toEqual([undefined, "approval", "approval"]);
  expect(step && waitOf(step)).toEqual({ from: step?.calls[1]?.asked?.at });
  expect(step?.calls[1] && begunAt(step.calls[1], step)).toBeUndefined();
  expect(model.turns[0] && workedMs(model.turns[0])).toBe(1_100);
  expect([model.gaps, model.rows.map(({ kind }) => kind)]).toEqual([[], ["turn", "message", "step"]]);
});

test("the turn works on when all calls have an answer, and its time is that without the wait", () => {
  const recorder = waiting().pass(hour).answered(1).pass(hour);
  recorder.answered(2, { answer: "deny", text: "No.", answered_by: "key" }).result(1, 500, {}, 500);
  const model = modelOf(recorder);
  const [step] = model.steps;
  expect(step && waitedMs(step)).toBe(2 * hour);
  expect(model.turns[0] && workedMs(model.turns[0])).toBe(1_600);
  expect(step?.calls[1] && begunAt(step.calls[1], step)).toBe((step?.calls[1]?.endedAt ?? 0) - 500);
  expect(step?.calls[2]?.asked?.answer).toMatchObject({ answer: "deny", text: { text: "No." }, answered_by: "key" });
});

test("two hours of waiting take two seconds of the axis", () => {
  const recorder = waiting()
    .pass(2 * hour)
    .answered(1)
    .answered(2);
  const model = modelOf(recorder.result(1, 500, {}, 500).result(2, 500, {}, 0));
  const [step] = model.steps;
  if (!step) throw new Error("the run has a step");
  const range = { from: 0, until: model.time.length };
  const wait = barsOf(step, model.time, range, 0).find(({ kind }) => kind === "wait");
  expect((wait?.width ?? 0) * range.until).toBeCloseTo(2_000, -1);
});

test.each([
  [30_000, "under 1 min", true],
  [14 * 60_000, "14 min", true],
  [15 * 60_000, "15 min", false],
  [23 * hour + 58 * 60_000, "23 h 58 m", false],
  [6 * 24 * hour + 23 * hour, "6 d 23 h", false],
])("%i ms that are left are %s", (milliseconds, text, soon) => {
  expect([leftText(milliseconds), isSoon(milliseconds)]).toEqual([text, soon]);
});

test("answers and ends have words", () => {
  const text = { text: "", length: 0 };
  const textOf = (answered_by: "operator" | "key" | "mcp" | null, answered_by_name: string | null): string =>
    answerText(
      { answer: answered_by === null ? "expired" : "allow", answered_by, answered_by_name, text },
      " after 2 m",
    );
  expect(textOf("operator", "mira")).toBe("allowed by mira after 2 m");
  expect(textOf("operator", null)).toBe("allowed by an operator after 2 m");
  expect(textOf("key", "support-bot")).toBe("allowed by key support-bot after 2 m");
  expect(textOf("mcp", null)).toBe("allowed by an MCP client after 2 m");
  expect(textOf("key", "a\u202eb")).not.toContain("\u202e");
  expect(textOf(null, null)).toBe("not answered in time after 2 m");
  const call = {
    id: "1.1.0",
    kind: "approval",
    name: "run_shell",
    arguments: "{}",
    arguments_sha256: "9f2c41ae".padEnd(64, "0"),
    since: "2026-11-22T14:02:00Z",
    until: "2026-11-23T14:02:00Z",
  } as const;
  expect(consequence(call)).toContain("SHA-256 9f2c41ae. If nobody answers by 23 Nov");
  expect(expiredText(call)).toMatch(/^Not answered by 23 Nov \d\d:\d\d, denied\.$/);
});

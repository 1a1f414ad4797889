import { describe, expect, test } from "vitest";
import type { ModelRequest, RunFile } from "../../../console/run/api.ts";
import { compareFiles } from "../../../console/run/files/file-changes.ts";
import { type Folder, fileTree } from "../../../console/run/files/file-tree.ts";
import { previewKind } from "../../../console/run/files/preview-kind.ts";
import { changeText, requestChange } from "../../../console/run/inspector/request/request-change.ts";
import { shownArguments } from "../../../console/run/inspector/shown-arguments.ts";
import { gridAmounts, pointAt, stairsOf } from "../../../console/run/inspector/stairs.ts";
import { RunModel } from "../../../console/run/model/run-model.ts";
import type { Point } from "../../../console/run/model/run-model-types.ts";
import {
  findSelected,
  formatPlace,
  initialPlace,
  neighbour,
  nextCall,
  parsePlace,
} from "../../../console/run/selection.ts";
import { FullTexts, textAt } from "../../../console/run/text/full-texts.ts";
import { isUnfolded, noneUnfolded, toggled } from "../../../console/run/text/unfolded.ts";
import { gapText, stepTitle, thoughtText, waitsOf, waitText } from "../../../console/run/text/words.ts";
import { ticksOf } from "../../../console/run/timeline/axis.ts";
import { barsOf } from "../../../console/run/timeline/bars.ts";
import { minimapPaths } from "../../../console/run/timeline/minimap-paths.ts";
import { endOfRow, rowAt, rowsWith, timeOfRow, visibleRows } from "../../../console/run/timeline/rows/visible-rows.ts";
import { Recorder } from "./recorder.ts";

const seconds = (milliseconds: number): string => `${milliseconds / 1_000} s`;

const file = (name: string, sha256: string | null, size = 1): RunFile => ({
  name,
  sha256,
  size,
  sent_as: null,
  changed_at_step: null,
  kind: "file",
  mode: "644",
  modified_at: null,
});

const request = (texts: string[], tools: string[]): ModelRequest => ({
  instructions: "Work.",
  messages: texts.map((text) => ({ role: "user", text, note: false, attachments: [] })),
  tools: tools.map((name) => ({ name, description: "", input_schema: {} })),
  parameters: null,
  provider: "demo",
  model: "demo",
  context_tokens: 1_000,
  configuration: "0",
  environment: null,
});

function modelOf(recorder: Recorder): RunModel {
  const model = new RunModel();
  model.add(recorder.events);
  return model;
}

const example = (): RunModel =>
  modelOf(
    new Recorder()
      .input("Go.")
      .failed(4_000)
      .pass(4_000)
      .failed(8_000)
      .pass(8_000)
      .answer("I read both.", ["read_file", "read_file"], 1_000)
      .result(0, 40)
      .result(1, 60, { is_error: true, text: "No such file" })
      .pass(1_200)
      .resumed()
      .answer("Done.", [], 2_000)
      .output("Done."),
  );

describe("places in URLs", () => {
  test.each(["1.2", "12.345.6"])("%s", (text) => {
    const place = parsePlace(text);
    expect(place && formatPlace(place)).toBe(text);
  });

  test.each(["", "1", "1.2.0", "a.b", "1.2.3.4", "1.-2", undefined])("%s is none", (text) => {
    expect(parsePlace(text)).toBeUndefined();
  });

  test("calls count from 1", () => {
    expect(findSelected(example(), parsePlace("1.1.2"))?.call?.failed).toBe(true);
    expect(findSelected(example(), parsePlace("7.1"))).toBeUndefined();
  });
});

test("at first, the failed call of the last step with calls is selected; neighbours are steps", () => {
  const model = example();
  expect(initialPlace(model)).toEqual({ turn: 1, step: 1, call: 1 });
  expect(neighbour(model, findSelected(model, { turn: 1, step: 1 }), 1)).toEqual({ turn: 1, step: 2 });
  expect(neighbour(model, findSelected(model, { turn: 1, step: 2 }), 1)).toBeUndefined();
});

test("the calls of a step lie beside each other, behind its model call", () => {
  const model = example();
  const step = model.steps[0]!;
  const from = (at: string, by: 1 | -1) => nextCall(findSelected(model, parsePlace(at)), step, by);
  expect(from("1.2", 1)).toEqual({ turn: 1, step: 1, call: 0 });
  expect(from("1.1.1", 1)).toEqual({ turn: 1, step: 1, call: 1 });
  expect(from("1.1.2", 1)).toBeUndefined();
  expect(from("1.1.1", -1)).toEqual({ turn: 1, step: 1 });
  expect(from("1.1", -1)).toBeUndefined();
});

test("filters keep the rows with errors, or the messages", () => {
  const { rows } = example();
  const kinds = (filter: { messages: boolean; errors: boolean }): string[] =>
    visibleRows(rows, filter).map(({ kind }) => kind);
  expect(kinds({ messages: false, errors: true })).toEqual(["step", "gap"]);
  expect(kinds({ messages: true, errors: false })).toEqual(["message", "message"]);
});

test("finds rows by the texts of calls, results and messages", () => {
  const { rows } = example();
  expect(rowsWith(rows, "no such").map((index) => rows[index]?.kind)).toEqual(["step"]);
  expect(rowsWith(rows, "done")).toHaveLength(2);
  expect(rowsWith(rows, "")).toEqual([]);
});

test("reasoning is found, and folded unless the reader opens it or looks for a part of it", () => {
  const fields = { reasoning: "Two files.\n\nI read both 日本語.", reasoning_ms: 3_400 };
  const { rows, steps } = modelOf(new Recorder().input("Go.").answer("Yes.", [], 4_000, fields).answer("No.", [], 1));
  const [first, second] = steps;
  if (!first || !second) throw new Error("no steps");
  expect(thoughtText(first, seconds)).toBe("Thought for 3.4 s, 6 words");
  expect([second.reasoning, second.reasoningMs]).toEqual([undefined, undefined]);
  expect(rowsWith(rows, "READ BOTH").map((index) => rows[index]?.key)).toEqual(["step 1.1"]);

  expect(isUnfolded(noneUnfolded, first, "")).toBe(false);
  expect([isUnfolded(noneUnfolded, first, "Both"), isUnfolded(noneUnfolded, second, "Both")]).toEqual([true, false]);
  const opened = toggled(noneUnfolded, first, true);
  expect([isUnfolded(opened, first, ""), isUnfolded(opened, second, "")]).toEqual([true, false]);
  expect(isUnfolded(toggled(opened, first, false), first, "")).toBe(false);
  const allButOne = toggled({ all: true, except: new Set() }, second, false);
  expect([isUnfolded(allButOne, first, ""), isUnfolded(allButOne, second, "")]).toEqual([true, false]);
});

test("a reasoning that is not loaded completely has characters, and one in one piece has no time", () => {
  const fields = { reasoning: "Two", reasoning_ms: null, cut: { reasoning: 4_096 } };
  const { steps } = modelOf(new Recorder().input("Go.").answer("Yes.", [], 4_000, fields));
  expect(steps[0] && thoughtText(steps[0], seconds)).toBe("Thought, 4,096 characters");
});

test("a time leads to the row that it is in", () => {
  const { rows } = example();
  for (const [index, row] of rows.entries()) {
    const time = timeOfRow(row);
    if (time !== undefined) expect(rowAt(rows, time)).toBeGreaterThanOrEqual(index);
  }
  expect(rowAt(rows, 0)).toBe(0);
});

test("bars lie within the range, in the order of time", () => {
  const model = example();
  const range = { from: 0, until: model.time.length };
  const bars = model.steps.flatMap((step) => barsOf(step, model.time, range, 0));
  expect(bars.map(({ kind }) => kind)).toEqual(["wait", "wait", "model", "tool", "failed", "model"]);
  for (const { left, width } of bars) {
    expect(left).toBeGreaterThanOrEqual(0);
    expect(left + width).toBeLessThanOrEqual(1.000_001);
  }
});

test("a call without result grows until now", () => {
  const recorder = new Recorder().input("Go.").answer("", ["a"], 1_000);
  const model = modelOf(recorder);
  const now = (model.lastAt ?? 0) + 1_000;
  const bars = barsOf(model.steps[0]!, model.time, { from: 0, until: 2_000 }, now);
  expect(bars.at(-1)).toMatchObject({ kind: "tool", left: 0.5, width: 0.5 });
});

test("the minimap of a long run is a few short paths", () => {
  const recorder = new Recorder().input("Go.");
  for (let step = 0; step < 2_000; step++) recorder.answer("", ["a"], 900).result(0, 50, { is_error: step % 7 === 0 });
  const model = modelOf(recorder);
  const { bars, errors } = minimapPaths(model, model.time.length, 0);
  const length = Object.values(bars).reduce((sum, path) => sum + path.length, errors.length);
  expect(length).toBeLessThan(60_000);
  expect(errors).not.toBe("");
});

test.each([
  [{ from: 0, until: 90_000 }, ["0 s", "30 s", "1 m"]],
  [{ from: 0, until: 8_000 }, ["0 s", "2 s", "4 s", "6 s"]],
  [{ from: 65_000, until: 130_000 }, ["1 m 30 s", "2 m"]],
  [{ from: 0, until: 4 * 3_600_000 }, ["0 s", "1 h", "2 h", "3 h"]],
  [{ from: 0, until: 0 }, ["0 s"]],
])("ticks of %j", (range, labels) => {
  expect(ticksOf(range).map(({ label }) => label)).toEqual(labels);
});

test("a tick at the edge of a narrow lane has no label", () => {
  expect(ticksOf({ from: 0, until: 41_000 }).map(({ label }) => label)).toEqual(["0 s", "15 s", "30 s"]);
  expect(ticksOf({ from: 0, until: 41_000 }, 112).map(({ label }) => label)).toEqual(["0 s", ""]);
});

test("says how often a provider failed and how long the run waited", () => {
  const [step] = example().steps;
  const [group] = step ? waitsOf(step, false) : [];
  expect([group?.title, group && waitText(group, seconds)]).toEqual(["Provider busy (429)", "twice, waited 12 s"]);
  expect(group?.pending).toBeUndefined();
});

test("an attempt with which the run fails is not a wait", () => {
  const model = modelOf(new Recorder().input("Go.").failed(null, true));
  const [step] = model.steps;
  if (!step) throw new Error("there is no step");
  expect(barsOf(step, model.time, { from: 0, until: 1_000 }, 0).map(({ kind }) => kind)).toEqual(["unanswered"]);
  const { bars, errors } = minimapPaths(model, 1_000, 0);
  expect([bars.wait, bars.unanswered === "", errors === ""]).toEqual(["", false, false]);
  expect([stepTitle(step, false), waitsOf(step, false)[0]?.last]).toEqual(["The model call failed", true]);
  expect(stepTitle(modelOf(new Recorder().input("Go.").failed(4_000)).steps[0]!, true)).toBe("Waiting for the model");
});

test("a step that failed is on screen until its last attempt ended", () => {
  const { rows, lastAt } = modelOf(new Recorder().input("Go.").failed(null, true));
  const row = rows.find(({ kind }) => kind === "step");
  expect(row && endOfRow(row)).toBe(lastAt);
});

test("a turn lasts until its last event", () => {
  const { turns } = modelOf(new Recorder().input("Go.").pass(5).failed(null, true));
  expect((turns[0]?.endedAt ?? 0) - (turns[0]?.startedAt ?? 0)).toBe(205);
});

test("a wait that lasts says until when", () => {
  const model = modelOf(new Recorder().input("Go.").failed(4_000));
  const [step] = model.steps;
  const [group] = step ? waitsOf(step, true) : [];
  expect(group?.pending?.until).toBe((model.lastAt ?? 0) + 4_000);
});

test("says what an interruption cost", () => {
  const [gap] = example().gaps;
  expect(gap && gapText(gap, seconds)).toBe(
    "the service was restarted. Resumed 1.2 s after the last record. 1 step kept, none repeated. At most one model call was made twice.",
  );
  const calls = new Recorder().input("Go.").answer("", ["a", "send"], 100).started(1).pass(900);
  const text = "This call was interrupted. It may or may not have taken effect.";
  const [second] = modelOf(calls.resumed([0, 1]).result(1, 0, { text, is_error: true }).result(0, 5, {}, 5)).gaps;
  expect(second && gapText(second, seconds)).toBe(
    "the service was restarted. Resumed 0.9 s after the last record. 1 step kept, a may have run twice. It is unknown whether send took effect; not repeated.",
  );
});

test("arguments are texts with line breaks, not JSON", () => {
  expect(shownArguments('{"code":"a\\nb","limit":5,"list":[1]}')).toEqual([
    { name: "code", text: "a\nb", block: true },
    { name: "limit", text: "5", block: false },
    { name: "list", text: "[\n  1\n]", block: true },
  ]);
  expect(shownArguments('{"script":"ls"}')).toEqual([{ name: "script", text: "ls", block: true }]);
  expect(shownArguments("[1]")).toBeUndefined();
});

test("stairs show a limit that is near", () => {
  const { points } = example();
  const tokens = [({ tokens: amount }: Point) => amount];
  expect(stairsOf(points, tokens, 400).limitAt).toBeGreaterThan(0);
  expect(stairsOf(points, tokens, 1e9).limitAt).toBeUndefined();
  expect(stairsOf(points, tokens, undefined).line).toMatch(/^M0 120V.*H480\.0$/);
});

test("stairs of parts lie on each other, beside round amounts", () => {
  const { points } = example();
  const last = points.at(-1)!;
  expect([last.cached, last.input, last.output, last.tokens]).toEqual([0, 200, 20, 220]);
  const { areas, grid } = stairsOf(points, [({ input }) => input, ({ output }) => output], undefined);
  expect(areas).toHaveLength(2);
  expect(grid).toEqual([
    { amount: 100, at: expect.closeTo(70.4, 1) as number },
    { amount: 200, at: expect.closeTo(20.8, 1) as number },
  ]);
  expect([0.0171, 1, 7, 219_000].map(gridAmounts)).toEqual([
    [0.005, 0.01, 0.015],
    [0.5, 1],
    [2, 4, 6],
    [100_000, 200_000],
  ]);
  expect([0, 0.6, 1.2].map((place) => pointAt(points, place)?.step)).toEqual([1, 2, 2]);
});

test("compares files by their content", () => {
  const before = [file("a", "1"), file("b", "1"), file("c", "1"), file("old", null, 5)];
  const after = [file("a", "1"), file("b", "2"), file("d", "1"), file("old", null, 6)];
  expect(compareFiles(before, after).map((each) => [each.file.name, each.change])).toEqual([
    ["a", undefined],
    ["b", "M"],
    ["c", "D"],
    ["d", "A"],
    ["old", "M"],
  ]);
  expect(compareFiles(undefined, after).every(({ change }) => change === undefined)).toBe(true);
});

test.each([
  ["table.csv", "a,b", "text"],
  ["report.md", "# Report", "markdown"],
  ["broken.md", "a\0b", "none"],
  ["PAGE.HTML", "<p>", "page"],
  ["drawing.svg", "<svg/>", "page"],
  ["photo.png", "\0", "picture"],
  ["data.bin", "a\0b", "none"],
  ["no-extension", "é", "text"],
])("preview of %s", (name, content, kind) => {
  expect(previewKind(name, new TextEncoder().encode(content))).toBe(kind);
});

test("a request is compared with the one before", () => {
  const change = requestChange(request(["a", "b"], ["x"]), request(["a", "c", "d"], ["x", "y"]));
  expect(change).toMatchObject({ kept: 1, instructionsChanged: false, toolsAdded: ["y"], toolsRemoved: [] });
  expect([change.removed.length, change.added.length]).toEqual([1, 2]);
  expect(changeText(change, "step 1")).toBe(
    "1 message as in step 1, 1 replaced, 2 new. Instructions unchanged. Tools added: y.",
  );
});

test("a complete event is loaded once, and again after an error", async () => {
  let loads = 0;
  const { events } = new Recorder().input("Go.");
  const texts = new FullTexts(async () => {
    loads++;
    if (loads === 1) throw new Error("offline");
    return events[0]!;
  });
  await expect(texts.event(1)).rejects.toThrow("offline");
  const [first, second] = await Promise.all([texts.event(1), texts.event(1)]);
  expect(textAt(first, "text")).toBe("Go.");
  expect([loads, second]).toEqual([2, first]);
});

describe("the folders of a run's files", () => {
  const shape = ({ name, count, changed, folders, files }: Folder): unknown => ({
    [`${name} ${count}${changed ? " changed" : ""}`]: [...folders.map(shape), ...files.map((each) => each.file.name)],
  });

  test("have their folders and files by name, with counts and whether something below changed", () => {
    const before = ["b.txt", "x/old", "x/y/z/deep"].map((name) => file(name, "1"));
    const after = ["b.txt", "a.txt", "x/y/z/deep", "x/y.csv", "w/1"].map((name) => file(name, "1"));
    expect(shape(fileTree(compareFiles(before, after)))).toEqual({
      " 6 changed": [
        { "w 1 changed": ["w/1"] },
        { "x 3 changed": [{ "y 1": [{ "z 1": ["x/y/z/deep"] }] }, "x/old", "x/y.csv"] },
        "a.txt",
        "b.txt",
      ],
    });
  });
});

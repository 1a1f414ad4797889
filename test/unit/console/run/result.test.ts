import { expect, test } from "vitest";
import { lastResult } from "../../../../console/run/model/last-result.ts";
import { RunModel } from "../../../../console/run/model/run-model.ts";
import { cellOf, resultTree } from "../../../../console/run/result/result-rows.ts";
import { jsonOf, parseResult, type ResultValue } from "../../../../console/run/result/result-value.ts";
import { Recorder } from "../recorder.ts";

const text = `{"currency": "EUR", "id": 12345678901234567890, "total": 12.50, "open": ["a", null],
  "buyer": {"lines": [{"no": 1, "more": {"a": [1]}}, {"no": 20, "__proto__": "x"}]}, "none": {}}`;
const problem = { place: "/total", expected: "number", received: '"12"' };

function parsed(json: string): ResultValue {
  const value = parseResult(json);
  if (value === undefined) throw new Error("not JSON");
  return value;
}

function modelOf({ events }: Recorder): RunModel {
  const model = new RunModel();
  model.add(events);
  return model;
}

test("numbers keep the digits that the model wrote", () => {
  expect(jsonOf(parsed(text))).toBe(
    '{"currency": "EUR", "id": 12345678901234567890, "total": 12.50, "open": ["a", null], ' +
      '"buyer": {"lines": [{"no": 1, "more": {"a": [1]}}, {"no": 20, "__proto__": "x"}]}, "none": {}}',
  );
  expect(jsonOf(parsed('{"a":[1e400,{}],"b":[]}'), "")).toBe('{\n  "a": [\n    1e400,\n    {}\n  ],\n  "b": []\n}');
  expect(parseResult("Total: 12")).toBeUndefined();
});

test("single values are a tree, and arrays of objects are tables", () => {
  const { rows, tables, more } = resultTree(parsed(text), 100, true);
  expect(rows.map(({ depth, name, value, note }) => [depth, name, value?.text ?? note])).toEqual([
    [0, "currency", '"EUR"'],
    [0, "id", "12345678901234567890"],
    [0, "total", "12.50"],
    [0, "open", "array, 2"],
    [1, "0", '"a"'],
    [1, "1", "null"],
    [0, "buyer", "object, 1"],
    [1, "lines", "array of objects, 2, as a table below"],
    [0, "none", "object, 0"],
  ]);
  expect(more).toBe(false);
  const [table] = tables;
  expect(table).toMatchObject({ place: "buyer.lines", hidden: 0 });
  expect(table?.columns).toEqual([
    { name: "no", isNumber: true },
    { name: "more", isNumber: false },
    { name: "__proto__", isNumber: false },
  ]);
  const cells = table?.rows.map((row) => table.columns.map(({ name }) => cellOf(row, name)));
  expect(cells).toEqual([
    ["1", '{"a": [1]}', undefined],
    ["20", undefined, "x"],
  ]);
});

test("a large result has as many rows as were asked for, and a wide table says what it leaves out", () => {
  const list = parsed(JSON.stringify({ list: Array.from({ length: 1_000 }, (_, index) => index) }));
  expect(resultTree(list, 10, true)).toMatchObject({ rows: { length: 10 }, more: true });
  const wide = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`f${index}`, 1]));
  expect(resultTree(parsed(JSON.stringify({ wide: [wide] })), 10, true).tables).toMatchObject([{ hidden: 6 }]);
  expect(resultTree(parsed('{"a": [{"b": 1}]}'), 10, false)).toMatchObject({ rows: { length: 3 }, tables: [] });
});

test("the last result is that of the last turn with an output, or an answer that did not fit", () => {
  expect(lastResult(modelOf(new Recorder().input("a").answer("b", [], 10).output("b")))).toBeUndefined();
  const first = new Recorder().input("a").answer("b", [], 10, { result_problems: [problem] });
  expect(lastResult(modelOf(first))).toMatchObject({ turn: { turn: 1 }, step: { step: 1, problems: [problem] } });
  const corrected = first.answer("{}", [], 10, { result_problems: [] }).output("{}");
  expect(lastResult(modelOf(corrected))).toMatchObject({ turn: { turn: 1 }, step: { step: 2, problems: [] } });
  const again = corrected.input("c").answer("d", [], 10, { result_problems: [problem] });
  expect(lastResult(modelOf(again))).toMatchObject({ turn: { turn: 1 }, step: { step: 2 } });
});

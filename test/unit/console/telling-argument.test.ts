import { expect, test } from "vitest";
import { tellingArgument } from "../../../console/run/model/telling-argument.ts";

test.each([
  ['{"code":"\\n// count empty values\\nconst a = 1;"}', "count empty values"],
  ['{"code":"import csv\\nfrom x import y\\n\\nprint(1)"}', "print(1)"],
  ['{"script":"#!/bin/bash\\nset -e\\nsort a.csv"}', "sort a.csv"],
  ['{"code":"import csv"}', "import csv"],
  ['{"query":"from ada"}', "from ada"],
  ['{"name":"q3.csv","content":"a,b"}', "q3.csv"],
  ['{"names":["a.csv","b.csv"]}', "a.csv, b.csv"],
  ['{"limit":5}', "5"],
  ["{}", ""],
  ["not JSON", ""],
  ["[1]", ""],
  ['{"content":"a \\"quoted\\" text that was cu', 'a "quoted" text that was cu'],
  ['{"name":"big.csv","content":"1,2,3', "big.csv"],
  [`{"query":"${"x".repeat(200)}"}`, `${"x".repeat(79)}…`],
])("%s", (json, telling) => {
  expect(tellingArgument(json)).toBe(telling);
});

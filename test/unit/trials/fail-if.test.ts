import { describe, expect, it } from "vitest";
import { failures, parseFailIf } from "../../../src/trials/fail-if.ts";
import { summarize } from "../../../src/trials/summary.ts";
import type { TrialCase } from "../../../src/trials/trial-types.ts";
import { arm, casesOf, configuration, differs, ended, leftRecord } from "./samples.ts";

const trial = { candidate: configuration(), control: configuration() };
const failed = ended({ kind: "failed", failure: { category: "limit", title: "The limit is reached." } });
const given = (verdict: "better" | "worse" | "equal"): Partial<TrialCase> => ({ verdict: { given: verdict, at: 1 } });
const leftOut = { tool: "find_order", recorded: 2, tried: 1 };
const summary = summarize(trial, [
  ...casesOf(1, given("worse")),
  ...casesOf(2, given("better")),
  ...casesOf(3, given("equal")),
  ...casesOf(4, { candidate: arm() }),
  ...casesOf(3, { candidate: arm(differs) }),
  ...casesOf(2, { candidate: arm({ comparison: { sameOutput: true, files: [], missing: [leftOut] } }) }),
  ...casesOf(6, { candidate: ended(leftRecord) }),
  ...casesOf(7, { candidate: failed }),
  ...casesOf(8, { candidate: arm({ assertions: [{ assertion: 0, holds: false }] }) }),
  ...casesOf(9, { cannotBeTried: "Its files have expired." }),
  ...casesOf(10),
]);

function failing(text: string): string[] {
  const parsed = parseFailIf(text);
  if ("problem" in parsed) throw new Error(parsed.problem);
  return failures(parsed.conditions, summary);
}

describe("a trial fails if", () => {
  it("a condition applies, which is named with the count", () => {
    expect(failing("worse>0,left>5,failed>=1,broken>0,different>10")).toEqual([
      "worse>0: 1",
      "left>5: 6",
      "failed>=1: 7",
      "broken>0: 8",
    ]);
  });

  it.each([
    ["worse", 1],
    ["better", 2],
    ["equal", 3],
    ["same", 4],
    ["different", 5],
    ["left", 6],
    ["failed", 7],
    ["broken", 8],
    ["untried", 9],
    ["missing", 2],
    ["open", 10],
  ])("%s is above a number", (name, count) => {
    expect(failing(`${name}>${count - 1}`)).toEqual([`${name}>${count - 1}: ${count}`]);
    expect(failing(`${name} > ${count}`)).toEqual([]);
    expect(failing(` ${name} >= ${count} `)).toEqual([`${name}>=${count}: ${count}`]);
    expect(failing(`${name}>=${count + 1}`)).toEqual([]);
  });
});

describe("a condition is refused", () => {
  it.each([
    ["", 'received "".'],
    ["worse>0,", 'received "".'],
    ["worse", 'received "worse".'],
    ["worse<3", 'received "worse<3".'],
    ["worse>1.5", 'received "worse>1.5".'],
    ["worse>-1", 'received "worse>-1".'],
    ["worse>10%", 'received "worse>10%".'],
  ])("%j: not a condition", (text, received) => {
    expect(parseFailIf(text)).toEqual({
      problem: `Expected conditions NAME>NUMBER or NAME>=NUMBER such as worse>0,left>5, ${received}`,
    });
  });

  it.each(["worst", "toString", "left_record"])("%s: not a name", (name) => {
    expect(parseFailIf(`same>3,${name}>0`)).toEqual({
      problem: `Expected one of worse, better, equal, unclear, same, different, left, failed, broken, untried, missing, open before >, received "${name}".`,
    });
  });
});

import { describe, expect, it } from "vitest";
import type { FileVersion } from "../../../src/agent/turn/files/manifest.ts";
import { compareTurns, isSame } from "../../../src/trials/cases/compare.ts";
import type { Comparison } from "../../../src/trials/trial-types.ts";
import { sha } from "./samples.ts";

const sameOutput = (before?: string, after?: string): boolean =>
  compareTurns(
    { files: [], ...(before !== undefined && { output: before }) },
    { files: [], ...(after !== undefined && { output: after }) },
  ).sameOutput;

const nested = (inner: string): string => "[".repeat(5_000) + inner + "]".repeat(5_000);

const file = (name: string, sha256: string): FileVersion => ({ name, size: 1, sha256 });

const compared = (before: FileVersion[], after: FileVersion[]): Comparison =>
  compareTurns({ files: before }, { files: after });

describe("two outputs", () => {
  it.each([
    ["equal texts", "The sum is 42.", "The sum is 42."],
    ["texts with other white space", "The sum\n  is 42.\n", "The sum is 42."],
    ["JSON with another order of keys", '{"a":1,"b":[1,2]}', '{ "b": [1, 2], "a": 1.0 }'],
    ["no outputs", undefined, undefined],
  ])("are the same: %s", (_, before, after) => expect(sameOutput(before, after)).toBe(true));

  it.each([
    ["other words", "The sum is 42.", "The sum is 43."],
    ["a missing space", "The sum", "Thesum"],
    ["JSON with another order of a list", "[1,2]", "[2,1]"],
    ["JSON with other white space in a string", '{"a":"x y"}', '{"a":"x  y"}'],
    ["integers that JavaScript rounds to the same number", '{"id":9007199254740993}', '{"id":9007199254740992}'],
    ["JSON and text", '{"a":1}', 'Here it is: {"a":1}'],
    ["an output and none", "The sum is 42.", undefined],
  ])("differ: %s", (_, before, after) => expect(sameOutput(before, after)).toBe(false));

  it("are compared as texts if they are nested too deep for JSON", () => {
    expect(sameOutput(nested("1"), nested("1"))).toBe(true);
    expect(sameOutput(nested("1"), nested("2"))).toBe(false);
  });
});

describe("the files after two turns", () => {
  it("differ by name and content", () => {
    const before = [file("same", sha("1")), file("z-removed", sha("2")), file("changed", sha("3"))];
    const after = [file("changed", sha("4")), file("added", sha("5")), { ...file("same", sha("1")), size: 9 }];
    expect(compared(before, after).files).toEqual([
      { name: "added", change: "added" },
      { name: "changed", change: "changed" },
      { name: "z-removed", change: "removed" },
    ]);
  });

  it("do not have files that were deleted", () => {
    const deleted: FileVersion = { name: "a", size: 0, deleted: true };
    expect(compared([deleted], []).files).toEqual([]);
    expect(compared([file("a", sha("1"))], [deleted]).files).toEqual([{ name: "a", change: "removed" }]);
  });

  it("are the same if nothing differs", () => {
    expect(isSame(compared([file("a", sha("1"))], [file("a", sha("1"))]))).toBe(true);
  });
});

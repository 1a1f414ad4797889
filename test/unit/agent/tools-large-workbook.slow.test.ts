import { describe, expect, it } from "vitest";
import { type Cell, workbook } from "../../fixtures/workbook.ts";
import { allTools, files } from "./scripted.ts";

/** The first lines that `read_file` returns. */
async function linesOf(content: Buffer): Promise<string[]> {
  const tool = allTools().find(({ definition }) => definition.name === "read_file");
  const context = { files: files({ "a.xlsx": content }), signal: new AbortController().signal };
  return ((await tool?.run({ name: "a.xlsx", limit: 20 }, context))?.text ?? "").split("\n");
}

const dated = (value: number, format = "yyyy-mm-dd"): Cell => ({ value, format });

describe("a workbook with more than 12 MB of XML", () => {
  const filler: Cell[][] = Array.from({ length: 25_000 }, (_, n) => Array.from({ length: 9 }, () => `text ${n}`));
  const large = (cells: Cell[], options?: { date1904: boolean }) =>
    workbook([{ name: "S", rows: [...cells.map((cell) => [cell]), ...filler] }], options);

  it.each([
    { date1904: false, date: 46_112 },
    { date1904: true, date: 44_650 },
  ])("has the same dates: %o", async ({ date1904, date }) => {
    const lines = await linesOf(large([dated(date), dated(0.25), dated(61)], { date1904 }));
    const third = date1904 ? "1904-03-02" : "1900-03-01";
    expect(lines.slice(5, 8).map((line) => line.split(" | ")[1])).toEqual(["2026-03-31", "06:00:00", third]);
  });

  it("shows a short duration as both, and says so", async () => {
    const text = (await linesOf(large([dated(1.5, "[h]:mm"), dated(61)]))).join("\n");
    expect(text).toContain("Durations are shown as dates, those of less than 366 days as both.");
    expect(text).toContain("| 1 | 1900-01-01 12:00:00, as a duration 36:00:00 |");
    expect(text).toContain("| 2 | 1900-03-01, as a duration 1464:00:00 |");
  });
});

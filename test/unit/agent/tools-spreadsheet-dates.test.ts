import { describe, expect, it, test } from "vitest";
import { type Cell, workbook } from "../../fixtures/workbook.ts";
import { zip } from "../../fixtures/documents.ts";
import { allTools, files } from "./scripted.ts";

/** What `read_file` returns for a file, without the lines before the first row of a table. */
async function rowsOf(name: string, content: Buffer): Promise<string[]> {
  const tool = allTools().find(({ definition }) => definition.name === "read_file");
  const context = { files: files({ [name]: content }), signal: new AbortController().signal };
  const text = (await tool?.run({ name, limit: 60 }, context))?.text ?? "";
  return text.split("\n").filter((line) => /^\| \d/.test(line));
}

/** The shown values of a column of cells. */
async function shown(cells: Cell[], options?: { date1904: boolean }): Promise<string[]> {
  const lines = await rowsOf("a.xlsx", workbook([{ name: "S", rows: cells.map((cell) => [cell]) }], options));
  return lines.map((line) => line.replace(/^\| \d+ \| (.*) \|$/, "$1"));
}

const dated = (value: number, format = "yyyy-mm-dd"): Cell => ({ value, format });

describe("a workbook that counts days from 1900", () => {
  // Excel shows the same.
  it.each([
    [1, "1900-01-01"],
    [59, "1900-02-28"],
    [60, "1900-02-29 [not a real day]"],
    [60.5, "1900-02-29 [not a real day] 12:00:00"],
    [61, "1900-03-01"],
    [366, "1900-12-31"],
    [367, "1901-01-01"],
    [46112.395833333336, "2026-03-31 09:30:00"],
    [2958465, "9999-12-31"],
    [2958466, "2958466 [not a date]"],
    [1e12, "[a number that is not a date]"],
    [-1.5, "-1.5 [not a date]"],
    [0.572916666666667, "13:45:00"],
    [0.99999999, "1900-01-01"],
  ])("shows %d in a format of dates as %s", async (serial, text) => {
    expect(await shown([dated(serial)])).toEqual([text]);
  });

  it("shows durations of any length, beside dates", async () => {
    const cells = [
      dated(1.5, "[h]:mm"),
      dated(416 + 16 / 24, "[hh]:mm:ss"),
      dated(-0.5, "[h]:mm"),
      dated(60, "[mm]:ss"),
    ];
    expect(await shown([...cells, dated(61)])).toEqual([
      "36:00:00",
      "10000:00:00",
      "-12:00:00",
      "1440:00:00",
      "1900-03-01",
    ]);
  });

  it("shows the result of a formula alike", async () => {
    const formula = { value: 1.25, format: "[h]:mm", formula: "B1-C1" };
    expect(await shown([formula])).toEqual(["30:00:00 [=B1-C1]"]);
  });
});

describe("a workbook that counts days from 1904", () => {
  it.each([
    [0, "1904-01-01"],
    [1, "1904-01-02"],
    [59, "1904-02-29"],
    [60, "1904-03-01"],
    [44697, "2026-05-17"],
    [0.572916666666667, "13:45:00"],
    [-1, "-1 [not a date]"],
  ])("shows %d in a format of dates as %s", async (serial, text) => {
    expect(await shown([dated(serial)], { date1904: true })).toEqual([text]);
  });

  it("shows durations", async () => {
    expect(await shown([dated(1.5, "[h]:mm")], { date1904: true })).toEqual(["36:00:00"]);
  });
});

const odsRow = (type: string, value: string) =>
  `<table:table-row><table:table-cell office:value-type="date" office:date-value="${value}"><text:p>${type}</text:p></table:table-cell></table:table-row>`;

test("an ODS workbook has dates of any year", async () => {
  const content = `<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:spreadsheet><table:table table:name="S">${odsRow("a", "1848-03-18")}${odsRow("b", "1900-02-28")}${odsRow("c", "2026-11-28T09:30:00")}</table:table></office:spreadsheet></office:body></office:document-content>`;
  const ods = zip({
    mimetype: "application/vnd.oasis.opendocument.spreadsheet",
    "META-INF/manifest.xml": "<manifest/>",
    "content.xml": content,
  });
  expect((await rowsOf("a.ods", ods)).map((line) => line.split(" | ")[1])).toEqual([
    "1848-03-18 |",
    "1900-02-28 |",
    "2026-11-28 09:30:00 |",
  ]);
});

import type { Ledger } from "../ledger.ts";
import { markdownBuilder } from "../markdown.ts";
import { parseXml } from "./xml.ts";

/** Points and series of a chart that are shown. A slide's chart has some dozens of points. */
const maxRows = 500;
const maxSeries = 50;

interface Series {
  name: string;
  /** By the index of the point. */
  categories: Map<number, string>;
  values: Map<number, string>;
}

/**
 * The numbers that a chart of Office Open XML shows (`ppt/charts/chart1.xml`), as a table: a column for each series, a row
 * for each category. They are those that the program saved with the chart; its workbook is not read.
 */
export function chartText(xml: string, ledger: Ledger): string {
  const { title, series: all } = readChart(xml);
  const series = all.slice(0, maxSeries);
  const heading = title === "" ? "[Chart]" : `[Chart: ${title}]`;
  const points = new Set(series.flatMap(({ categories, values }) => [...categories.keys(), ...values.keys()]));
  if (points.size === 0) {
    ledger.leaveOut("chart");
    return `${heading}\n[Its numbers were not read: none are saved with it.]`;
  }
  const rows = [...points].toSorted((a, b) => a - b);
  // The series of most charts share their categories. Those of a scatter chart have x values of their own.
  const shared = series.every(({ categories }) => isSame(categories, series[0]?.categories));
  const columns = shared
    ? [{ head: "", cells: named(rows, series[0]?.categories) }, ...series.map(valuesOf)]
    : series.flatMap((each) => [{ head: `x of ${each.name}`, cells: each.categories }, valuesOf(each)]);
  const table = [
    columns.map(({ head }) => head),
    ...rows.slice(0, maxRows).map((point) => columns.map(({ cells }) => cells.get(point) ?? "")),
  ];
  const builder = markdownBuilder();
  builder.openTable();
  for (const cells of table) {
    builder.openRow();
    for (const cell of cells) {
      builder.addText(cell);
      builder.endCell();
    }
  }
  builder.closeTable();
  const rest = [
    ...(rows.length > maxRows ? [`[${rows.length - maxRows} more points are not shown.]`] : []),
    ...(all.length > maxSeries ? [`[${all.length - maxSeries} more series are not shown.]`] : []),
  ];
  return [heading, builder.toString(), ...rest].join("\n");
}

/** The categories of points; those without one have their number. */
function named(points: number[], categories: Series["categories"] = new Map()): Map<number, string> {
  return new Map(points.map((point) => [point, categories.get(point) ?? String(point + 1)]));
}

function valuesOf({ name, values }: Series) {
  return { head: name, cells: values };
}

function readChart(xml: string): { title: string; series: Series[] } {
  const path: string[] = [];
  const series: Series[] = [];
  let [title, point, value] = ["", 0, ""];
  let levels: Map<number, string>[] = [];
  parseXml(xml, {
    open(name, attributes) {
      path.push(name);
      if (name === "ser") series.push({ name: "", categories: new Map(), values: new Map() });
      if (name === "pt") point = Number(attributes["idx"]) || 0;
      if (name === "v") value = "";
      if (name === "cat" || name === "xVal") levels = [new Map()];
      if (name === "lvl" && levels.at(-1)?.size !== 0) levels.push(new Map());
    },
    close(name) {
      const current = series.at(-1);
      if (name === "v" && current && path.includes("ser")) {
        const of = path.findLast((each) => Object.hasOwn(partOf, each));
        if (of === "tx") current.name ||= value;
        else if (of === "cat" || of === "xVal") levels.at(-1)?.set(point, value);
        else if (of === "val" || of === "yVal") current.values.set(point, value);
      }
      if ((name === "cat" || name === "xVal") && current) current.categories = categoriesOf(levels);
      path.pop();
    },
    text(text) {
      const element = path.at(-1);
      if (element === "v") value += text;
      // Titles of axes are not those of the chart.
      if (element === "t" && path.includes("title") && path[path.indexOf("title") - 1] === "chart") title += text;
    },
  });
  return { title: title.replaceAll(/\s+/g, " ").trim(), series };
}

/**
 * The categories by point. The first level has one for each; each further level groups it, with the point at which a group
 * begins: `2026, H1`.
 */
function categoriesOf([inner = new Map<number, string>(), ...groups]: Map<number, string>[]): Map<number, string> {
  const outer = groups.toReversed().map((group) => ({ group, current: "" }));
  const points = [...inner.keys()].toSorted((a, b) => a - b);
  return new Map(
    points.map((point) => {
      for (const each of outer) each.current = each.group.get(point) ?? each.current;
      return [point, [...outer.map(({ current }) => current), inner.get(point) ?? ""].filter(Boolean).join(", ")];
    }),
  );
}

/** Elements of a series whose values are read. */
const partOf = { tx: true, cat: true, xVal: true, val: true, yVal: true, bubbleSize: true, errBars: true, dLbls: true };

function isSame(one: Map<number, string>, other: Map<number, string> | undefined): boolean {
  return one.size === other?.size && [...one].every(([point, value]) => other.get(point) === value);
}

import { expect, test } from "vitest";
import { labelledBars, scaleFor, stacked } from "../../../../console/usage/chart/scale.ts";
import { usageCsv } from "../../../../console/usage/csv.ts";
import { daysBefore, lastDays, shortDay } from "../../../../console/usage/days.ts";
import { costText } from "../../../../console/state/cost.ts";
import {
  cachedShare,
  type Measure,
  reportOf,
  shareOf,
  tokensOf,
  type UsageRow,
} from "../../../../console/usage/report.ts";

function row(day: string, agent: string, dollars: number, more: Partial<UsageRow> = {}): UsageRow {
  const numbers = {
    runs: 1,
    technical_errors: 0,
    steps: 2,
    input_tokens: 1_000,
    output_tokens: 100,
    cached_input_tokens: 250,
    estimated_tokens: 0,
    unpriced_tokens: 0,
    milliseconds: 9,
  };
  return { day, organization_id: "o", agent_id: agent, model: "m", dollars, ...numbers, ...more };
}

test("an axis ends at or above the highest value, in steps that people count in", () => {
  expect(scaleFor(12.4)).toEqual({ max: 16, ticks: [0, 8, 16] });
  expect(scaleFor(128)).toEqual({ max: 160, ticks: [0, 80, 160] });
  expect(scaleFor(3_100_000)).toEqual({ max: 4_000_000, ticks: [0, 2_000_000, 4_000_000] });
  expect(scaleFor(0.03)).toEqual({ max: 0.03, ticks: [0, 0.015, 0.03] });
  expect(scaleFor(0)).toEqual({ max: 2, ticks: [0, 1, 2] });
  expect(scaleFor(1, { whole: true })).toEqual({ max: 2, ticks: [0, 1, 2] });
  expect(scaleFor(9, { whole: true }).ticks).toEqual([0, 5, 10]);
  for (const max of [0.001, 0.7, 1, 9.99, 10, 11, 99, 1_234_567]) expect(scaleFor(max).max).toBeGreaterThanOrEqual(max);
});

test("labels keep their distance, and the last bar has one", () => {
  expect(labelledBars(7, 50, 60)).toEqual(new Set([0, 2, 4, 6]));
  expect(labelledBars(3, 100, 60)).toEqual(new Set([0, 1, 2]));
});

test("a bar stacks its series from 0", () => {
  expect(stacked([2, 0, 3])).toEqual([
    { series: 0, from: 0, to: 2 },
    { series: 2, from: 2, to: 5 },
  ]);
});

test("days are UTC days", () => {
  expect(lastDays(3, new Date("2026-03-01T00:30:00Z"))).toEqual(["2026-02-27", "2026-02-28", "2026-03-01"]);
  expect(daysBefore("2026-03-01", 14)).toBe("2026-02-15");
  expect(shortDay("2026-11-02")).toBe("Nov 2");
});

test("at most five series, the most expensive first; the fifth adds up the others", () => {
  const days = ["2026-11-21", "2026-11-22"];
  const rows = [1, 2, 3, 4, 5, 6, 7].map((dollars) => row("2026-11-22", `agent-${dollars}`, dollars));
  rows.push(row("2026-11-21", "agent-7", 0.5), row("2026-11-01", "agent-7", 100));
  const report = reportOf(rows, days, "agent", new Map([["agent-7", "Data analyst"]]));
  expect(report.series.map(({ name }) => name)).toEqual([
    "Data analyst",
    "agent-6",
    "agent-5",
    "agent-4",
    "Other (3 agents)",
  ]);
  expect(report.series[0]?.days.map(({ dollars }) => dollars)).toEqual([0.5, 7]);
  expect(report.series[4]?.total).toMatchObject({ runs: 3, dollars: 6 });
  expect(report.total).toMatchObject({ runs: 8, dollars: 28.5, steps: 16 });
  expect(tokensOf(report.total)).toBe(8_800);
  expect(cachedShare(report.total)).toBe(0.25);
});

test("a series without prices is first where its tokens are most, and its cost is not 0", () => {
  const day = "2026-11-22";
  const rows = [1, 2, 3, 4, 5, 6].map((dollars) => row(day, `agent-${dollars}`, dollars));
  rows.push(row(day, "big", 0, { input_tokens: 200_000_000, unpriced_tokens: 200_000_100 }));
  const byDefault = reportOf(rows, [day], "agent", new Map());
  expect(byDefault).toMatchObject({ measure: "tokens", total: { dollars: 21, unpricedTokens: 200_000_100 } });
  expect(byDefault.series[0]?.id).toBe("big");
  expect(byDefault.others.map(({ total }) => total.runs)).toEqual([1, 1, 1]);
  const byCost = reportOf(rows, [day], "agent", new Map(), "dollars");
  expect(byCost.series.map(({ id }) => id)).toEqual(["agent-6", "agent-5", "agent-4", "agent-3", undefined]);
  expect(byCost.others.map(({ id }) => id)).toEqual(["agent-2", "agent-1", "big"]);
  expect(byCost.series.map(({ total }) => costText(total, 2))).toEqual([
    "$6.00",
    "$5.00",
    "$4.00",
    "$3.00",
    "$3.00 + unknown",
  ]);
  expect(costText(byDefault.series[0]?.total ?? byDefault.total)).toBe("not known");
  expect(usageCsv(rows.slice(-1), new Map()).split("\r\n")[1]).toBe(
    `${day},o,big,,m,1,0,2,200000000,250,100,0,,200000100,9`,
  );
});

test("a part of a series without prices is not counted as 0 dollars", () => {
  const day = "2026-11-22";
  const { series, total } = reportOf([row(day, "a", 2, { unpriced_tokens: 400 })], [day], "agent", new Map());
  expect(total).toMatchObject({ dollars: 2, unpricedTokens: 400 });
  expect(series.map((each) => costText(each.total, 2))).toEqual(["$2.00 + unknown"]);
});

test("series are ranked by what is chosen, and have their share of it", () => {
  const day = "2026-11-22";
  const rows = [
    row(day, "often", 1, { runs: 60, technical_errors: 1 }),
    row(day, "failing", 3, { runs: 20, technical_errors: 3 }),
    row(day, "unpriced", 0, { runs: 20, input_tokens: 5_000_000, unpriced_tokens: 5_000_100 }),
  ];
  const ranked = (measure: Measure) => {
    const report = reportOf(rows, [day], "agent", new Map(), measure);
    return report.series.map((each) => [each.id, shareOf(each, report)]);
  };
  expect(ranked("runs").map(([id]) => id)).toEqual(["often", "unpriced", "failing"]);
  expect(ranked("errors")).toEqual([
    ["failing", 0.75],
    ["often", 0.25],
    ["unpriced", 0],
  ]);
  expect(ranked("dollars")).toEqual([
    ["failing", 0.75],
    ["often", 0.25],
    ["unpriced", undefined],
  ]);
  expect(ranked("tokens")[0]?.[0]).toBe("unpriced");
});

test("a model that is not recorded is a series with this name", () => {
  const { series } = reportOf([row("2026-11-22", "a", 1, { model: null })], ["2026-11-22"], "model", new Map());
  expect(series).toMatchObject([{ id: null, name: "not recorded" }]);
});

test("the CSV has exact numbers, and names do not become formulas", () => {
  const names = new Map([["a", `=HYPERLINK("x"), "q"`]]);
  const csv = usageCsv([row("2026-11-22", "a", 0.12345), row("2026-11-21", "b", 1, { model: null })], names);
  expect(csv.split("\r\n")).toEqual([
    "day,organization_id,agent_id,agent,model,runs,technical_errors,steps,input_tokens,cached_input_tokens,output_tokens,estimated_tokens,dollars,unpriced_tokens,milliseconds",
    "2026-11-21,o,b,,not recorded,1,0,2,1000,250,100,0,1,0,9",
    `2026-11-22,o,a,"'=HYPERLINK(""x""), ""q""",m,1,0,2,1000,250,100,0,0.12345,0,9`,
    "",
  ]);
});

import { expect, test } from "vitest";
import {
  axisDollars,
  axisNumber,
  budgetText,
  changeText,
  errorsText,
  percent,
} from "../../../../console/usage/words.ts";

const counts = {
  running: 2,
  finished: 1_230,
  waiting_for_input: 1,
  technical_error: 28,
  terminated: 14,
  complete: true,
};

test("the values of an axis are short enough for its margin", () => {
  const dollars = [0, 8, 0.015, 1_200, 2.5, 0.0005, 12_000, 1_500_000].map(axisDollars);
  expect(dollars).toEqual(["$0", "$8", "$0.015", "$1,200", "$2.5", "0.05¢", "$12 k", "$1.5 M"]);
  const numbers = [0, 70, 20_000, 1_800_000, 240_000_000, 2_000_000_000].map(axisNumber);
  expect(numbers).toEqual(["0", "70", "20 k", "1.8 M", "240 M", "2 B"]);
  expect(Math.max(...[...dollars, ...numbers].map(({ length }) => length))).toBeLessThanOrEqual(6);
});

test("errors are a share of all runs, and of the counted ones when there are more", () => {
  expect(errorsText(counts)).toBe("28 technical errors (2.2 %)");
  expect(errorsText({ ...counts, complete: false })).toBe("28 technical errors in the newest 1,275");
  expect(errorsText(undefined)).toBe("");
});

test("a change needs something to compare with", () => {
  expect(changeText(112, 100, 14)).toBe("+12 % on the 14 days before");
  expect(changeText(88, 100, 7)).toBe("−12 % on the 7 days before");
  expect(changeText(5, 0, 7)).toBeUndefined();
});

test("shares without a whole are not invented", () => {
  expect(percent(undefined)).toBe("–");
  expect(percent(0.456)).toBe("46 %");
  expect(budgetText(10.83, 12)).toBe("90 % of $12.00");
});

import { expect, test } from "vitest";
import {
  axisDollars,
  axisNumber,
  budgetText,
  changeText,
  errorsText,
  percent,
  unpricedText,
} from "../../../../console/usage/words.ts";

test("the values of an axis are short enough for its margin", () => {
  const dollars = [0, 8, 0.015, 1_200, 2.5, 0.0005, 12_000, 1_500_000].map(axisDollars);
  expect(dollars).toEqual(["$0", "$8", "$0.015", "$1,200", "$2.5", "0.05¢", "$12 k", "$1.5 M"]);
  const numbers = [0, 70, 20_000, 1_800_000, 240_000_000, 2_000_000_000].map(axisNumber);
  expect(numbers).toEqual(["0", "70", "20 k", "1.8 M", "240 M", "2 B"]);
  expect(Math.max(...[...dollars, ...numbers].map(({ length }) => length))).toBeLessThanOrEqual(6);
});

test("errors are a share of all runs", () => {
  expect(errorsText(28, 1_275)).toBe("28 technical errors (2.2 %)");
  expect(errorsText(1, 1)).toBe("1 technical error (100.0 %)");
  expect(errorsText(0, 0)).toBe("0 technical errors");
});

test("tokens without a price are counted with the agents that used them", () => {
  expect(unpricedText(88_900_000, 3, "agent")).toBe("88.9 M tokens of 3 agents have no price");
  expect(unpricedText(1_100, 1, "model")).toBe("1,100 tokens of 1 model have no price");
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

import { expect, test } from "vitest";
import { longestIdle, TimeMap } from "../../../console/run/model/time-map.ts";

test("cuts idle time out and keeps the order of times", () => {
  const map = new TimeMap();
  map.add(1_000, 1_000);
  map.add(1_000, 5_000);
  map.add(605_000, 606_000); // ten minutes later
  map.add(606_500, 607_000);

  expect(map.place(1_000)).toBe(0);
  expect(map.place(5_000)).toBe(4_000);
  expect(map.place(605_000)).toBe(4_000 + longestIdle);
  expect(map.length).toBe(4_000 + longestIdle + 2_000);
  const times = [0, 1_000, 3_000, 5_000, 6_900, 7_100, 300_000, 604_000, 605_000, 606_500, 900_000];
  const places = times.map((time) => map.place(time));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
});

test("a long call is not idle time", () => {
  const map = new TimeMap();
  map.add(0, 10);
  map.add(10, 100_000);
  expect(map.length).toBe(100_000);
});

test("is empty without calls", () => {
  expect(new TimeMap().length).toBe(0);
  expect(new TimeMap().place(5)).toBe(0);
});

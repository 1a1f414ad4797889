import { expect, test } from "vitest";
import {
  formatBytes,
  formatDollars,
  formatDuration,
  formatElapsed,
  formatNumber,
  formatRelative,
} from "../../../console/format.ts";

test("durations", () => {
  const shown = [38, 800, 6_400, 31_000, 362_000, 7_500_000].map(formatDuration);
  expect(shown).toEqual(["38 ms", "0.8 s", "6.4 s", "31 s", "6 m 02 s", "2 h 05 m"]);
});

test("durations in a list have whole seconds", () => {
  const shown = [38, 800, 1_240, 17_300, 59_700, 362_400].map((milliseconds) => formatElapsed(milliseconds));
  expect(shown).toEqual(["38 ms", "0.8 s", "1 s", "17 s", "1 m 00 s", "6 m 02 s"]);
  expect([0, 1_900, 22_999].map((milliseconds) => formatElapsed(milliseconds, true))).toEqual(["1 s", "1 s", "22 s"]);
});

test("numbers, dollars and sizes", () => {
  expect([1_275, 999_999, 4_216_600, 9_999_999].map(formatNumber)).toEqual(["1,275", "999,999", "4.2 M", "10.0 M"]);
  expect([27_712_345, 99_960_000, 222_100_000].map(formatNumber)).toEqual(["27.7 M", "100 M", "222 M"]);
  expect([999_600_000, 1_000_000_000, 12_345_000_000].map(formatNumber)).toEqual(["1.0 B", "1.0 B", "12.3 B"]);
  expect([0, 0.1714, 12.4].map((dollars) => formatDollars(dollars))).toEqual(["$0.000", "$0.171", "$12.40"]);
  expect(formatDollars(0.0123, 4)).toBe("$0.0123");
  expect([612, 41_984, 4_404_019, 53_687_091_200].map(formatBytes)).toEqual(["612 B", "41 KiB", "4.2 MiB", "50 GiB"]);
});

test("times are relative up to a day", () => {
  const now = Date.UTC(2026, 10, 22, 12);
  const shown = [20, 60, 3_540, 3_600 * 3].map((seconds) => formatRelative(now - seconds * 1_000, now));
  expect(shown).toEqual(["now", "1 min ago", "59 min ago", "3 h ago"]);
  expect(formatRelative(now - 3 * 86_400_000, now)).toBe("19 Nov 2026");
});

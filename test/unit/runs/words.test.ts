import { expect, test } from "vitest";
import { distinctWords, excerptAround, maxSearched, phrasesIn } from "../../../src/runs/read/search/words.ts";

const excerpt = (text: string, query: string): string | undefined =>
  excerptAround(text, phrasesIn(query))
    ?.map((part) => (part.match ? `[${part.text}]` : part.text))
    .join("");

test.each([
  ["Crème BRÛLÉE", "creme brulee", "[Crème] [BRÛLÉE]"],
  ["creme", "crème", "[creme]"],
  ["github__search_pull_requests", "search pull", "github__[search]_[pull]_requests"],
  ["error_code: 12", "error_code:12", "[error_code: 12]"],
  ["the end", '"the en"', "[the end]"],
  ["請求書を確認する", "求書", "請[求書]を確認する"],
  ["a\u200db", "b", "a\u200d[b]"],
  ["½ liter, ² squares", "2 liter", "½ [liter], [²] squares"],
  ["needless", "needles", "[needless]"],
  ["ΟΔΟΣ: οδοσήμανση é", "οδος", "[ΟΔΟΣ]: οδοσήμανση é"],
  ["é οδοσήμανση", "ΟΔΟΣ", "é [οδοσήμανση]"],
  ["Ein Ü-Wagen, kein Ü", "wagen", "Ein Ü-[Wagen], kein Ü"],
  ["needless", "eedless", undefined],
  ["a needle", "n a", undefined],
  ["one two", '"two one"', undefined],
  ["", "x", undefined],
])("of %j, the query %j matches %j", (text, query, expected) => {
  expect(excerpt(text, query)).toBe(expected);
});

test("an excerpt begins near the first match, is short and cuts no character", () => {
  const found = excerpt(`${"🙂 padding ".repeat(40)}needle ${"🙂".repeat(400)}`, "needle") ?? "";
  expect(found).toMatch(/^….*padding \[needle\] 🙂+…$/u);
  expect(found.length).toBeLessThan(260);
  expect(found.isWellFormed()).toBe(true);
});

test("a query without a letter or digit has no phrases, and what is far into a text is not searched", () => {
  expect(phrasesIn(' … "--" ')).toEqual([]);
  const text = `${"a ".repeat(maxSearched / 2)}needle`;
  expect([excerpt(text, "needle"), [...distinctWords([text])]]).toEqual([undefined, ["a"]]);
});

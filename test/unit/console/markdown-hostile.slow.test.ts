import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { longestMarkdown, mostLooked, readMarkdown } from "../../../console/run/text/markdown-reader.ts";
import { html, levels, shownText } from "./markdown-html.ts";

const filled = (part: string): string => part.repeat(Math.floor(longestMarkdown / part.length));

describe("a hostile text", () => {
  // What marked looks at in these grows with the square of their length, or their depth exceeds the stack.
  test.each(["*a_", "--\n", "> ", "- \n", "|a\n|-|\n", "<a "])("%j, repeated", (part) => {
    const text = filled(part);
    const looked = readMarkdown(text)?.looked ?? { emStrong: 0, inlineText: 0, table: 0 };
    expect(looked.emStrong).toBeLessThanOrEqual(mostLooked.emStrong);
    expect(looked.inlineText).toBeLessThanOrEqual(mostLooked.inlineText);
    expect(looked.table).toBeLessThanOrEqual(mostLooked.table);
    expect(levels(text)).toBeLessThan(60);
  });

  test("marks that open, then marks that close, are shown as text where they are too deep", () => {
    const text = `${"*a ".repeat(300)}middle${" a*".repeat(300)}`;
    expect(shownText(text).replaceAll(/[*\s]/g, "")).toBe(text.replaceAll(/[*\s]/g, ""));
    expect(levels(text)).toBeLessThan(60);
  });

  test("that is longer than 64 KB is shown as it is", () => {
    expect(html("*a* ".repeat(longestMarkdown / 4))).toContain("<em>");
    expect(html("*a* ".repeat(longestMarkdown / 4 + 1))).not.toContain("<em>");
  });
});

test("no word is lost, and words stay in order", () => {
  const word = fc.stringMatching(/^[a-z]{3,8}$/).map((text) => `${text}x`);
  const parts = ["*", "**", "_", "~~", "[", "](", ")", "`", "``", "> ", "- ", "1. ", "<", "</", "![", "&", "\\", "#"];
  const lines = [" ", " ", " ", "\n", "\n\n", "\n- ", "\n> ", "\n## ", "\n    ", "\t"];
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom(...parts, ...lines), word), { maxLength: 40 }), (pairs) => {
      const shown = shownText(pairs.map(([before, text]) => before + text).join(""));
      let at = 0;
      for (const [, text] of pairs) {
        const found = shown.indexOf(text, at);
        expect(found, `${text} in ${JSON.stringify(shown)}`).toBeGreaterThanOrEqual(0);
        at = found + text.length;
      }
    }),
    { numRuns: 1_000 },
  );
});

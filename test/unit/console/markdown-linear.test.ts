import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readBlocks } from "../../../console/run/text/markdown/blocks.ts";
import { readInlines } from "../../../console/run/text/markdown/inlines.ts";
import { type Block, deepest, type Inline } from "../../../console/run/text/markdown/nodes.ts";
import { shownText } from "./markdown-html.ts";

/** Steps per character. Each level of nesting visits a line again. */
const most = 6 * deepest;

/** What reading a text costs, and how deep its blocks and the nodes in one block are. */
function measured(text: string): { steps: number; blocks: number; inlines: number } {
  const work = { steps: 0 };
  const { blocks, definitions } = readBlocks(text, work);
  let inlines = 0;
  const read = (content: string): void => {
    inlines = Math.max(inlines, inlineLevels(readInlines(content, definitions, work)));
  };
  const levels = (block: Block): number => {
    if ("text" in block && block.type !== "code") read(block.text);
    if (block.type === "table") block.rows.flat().forEach(read);
    if (block.type === "quote") return 1 + highest(block.blocks.map(levels));
    if (block.type === "list") return 1 + highest(block.items.flatMap((item) => item.blocks.map(levels)));
    return 1;
  };
  return { blocks: highest(blocks.map(levels)), inlines, steps: work.steps };
}

const highest = (numbers: number[]): number => numbers.reduce((a, b) => Math.max(a, b), 0);
const inlineLevels = (nodes: Inline[]): number =>
  highest(nodes.map((node) => (typeof node !== "string" && "children" in node ? 1 + inlineLevels(node.children) : 0)));

function expectBounded(text: string): void {
  const { steps, blocks, inlines } = measured(text);
  expect(steps).toBeLessThanOrEqual(most * (text.length + 10));
  expect(blocks).toBeLessThanOrEqual(deepest + 1);
  expect(inlines).toBeLessThanOrEqual(deepest);
}

const parts = [
  "*a_",
  "*a ",
  " a*",
  "**a",
  "_a ",
  "~~a",
  "[",
  "]",
  "`",
  "``a",
  "> ",
  "- ",
  "1. ",
  "|",
  "<",
  "</a",
  "](",
  "![",
  ")",
];
const more = [
  "](<",
  '](a "',
  "](a '",
  "](\\(",
  "][",
  "[a][",
  "[a]: ",
  "http://",
  "https://a)",
  "&#1",
  "\\",
  "~~~",
  "```\n",
  "#",
];
const lines = [
  "\n",
  "\n\n",
  "- \n",
  "> \n",
  "|a\n|-|\n",
  "  - a\n",
  "\t",
  "    ",
  "a",
  "é漢👍",
  "=\n",
  "--\n",
  "[a]: https://b\n",
];
const all = [...parts, ...more, ...lines];

describe("time is linear and depth is bounded", () => {
  test.each(all)("%j, repeated", (part) => {
    for (const around of ["", "[b]: https://b\n\n"]) expectBounded(around + part.repeat(8_000));
  });

  test.each([
    ["[", "]"],
    ["[", "]("],
    ["[", "](a)"],
    ["[", "](https://a)"],
    ["*a ", " a*"],
    ["**a ", " a**"],
    ["***a ", " a***"],
    ["*a ", " a_"],
    ["![", "](a)"],
    ["*a [", "b](https://c) d*"],
    ["[*a ", "b* ](https://c)"],
    ["`", "``"],
    ["https://(", ")"],
  ])("many %j, then many %j", (first, second) => {
    expectBounded(`[a]: https://b\n\n${first.repeat(4_000)}x${second.repeat(4_000)}`);
  });

  test("runs of backticks of all lengths", () => {
    expectBounded(Array.from({ length: 300 }, (_, size) => "`".repeat(size)).join("a"));
  });

  test("items and quotes that are indented more and more", () => {
    expectBounded(Array.from({ length: 300 }, (_, depth) => `${" ".repeat(2 * depth)}- a`).join("\n"));
    expectBounded(Array.from({ length: 300 }, (_, depth) => `${"> ".repeat(depth)}a`).join("\n"));
  });

  test("random mixtures", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...all), { maxLength: 60 }),
        fc.integer({ min: 1, max: 40 }),
        (mixed, times) => expectBounded(mixed.join("").repeat(times)),
      ),
      { numRuns: 400 },
    );
  });
});

test("no word is lost, and words stay in order", () => {
  const word = fc.stringMatching(/^[a-z]{3,8}$/).map((text) => `${text}x`);
  const glue = fc.constantFrom(
    ...all.filter((part) => !/[a-z]/.test(part)),
    " ",
    " ",
    " ",
    "\n",
    "\n- ",
    "**",
    "*",
    "_",
    "\n> ",
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(glue, word), { maxLength: 40 }), (pairs) => {
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

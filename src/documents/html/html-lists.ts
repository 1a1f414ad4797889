import type Turndown from "turndown";
import { attributeOf, type HtmlElement, styleOf } from "./html-node.ts";
import { applyNumberFormat } from "../sheets/number-format.ts";
import { ownValue } from "../office/own-value.ts";

/** Formats of list numbers, by the attribute `type` and by CSS. */
const listFormats: Record<string, string> = {
  a: "lowerLetter",
  A: "upperLetter",
  i: "lowerRoman",
  I: "upperRoman",
  "lower-alpha": "lowerLetter",
  "lower-latin": "lowerLetter",
  "upper-alpha": "upperLetter",
  "upper-latin": "upperLetter",
  "lower-roman": "lowerRoman",
  "upper-roman": "upperRoman",
  "decimal-leading-zero": "decimalZero",
  none: "none",
};

/** The items of a list with their bullets, or their numbers as a browser shows them. */
export function listItemRule(): Turndown.Rule {
  const numbers = new Map<HtmlElement, Map<HtmlElement, number>>();
  return {
    filter: "li",
    replacement: (content, node) => {
      const item = node as unknown as HtmlElement;
      const list = item.parentNode;
      let marker = "-";
      if (list?.nodeName === "OL") {
        const known = numbers.get(list) ?? itemNumbers(list);
        numbers.set(list, known);
        const style = styleOf(list, "list-style-type") ?? styleOf(list, "list-style") ?? attributeOf(list, "type");
        const format = ownValue(listFormats, style);
        marker = applyNumberFormat(known.get(item) ?? 1, format ?? "decimal") ?? "";
        if (marker !== "") marker += ".";
      }
      const prefix = marker === "" ? "" : `${marker} `;
      const lines = content.replaceAll(/^\n+|\n+$/g, "").replaceAll("\n", `\n${" ".repeat(prefix.length)}`);
      return `${prefix}${lines}${content.endsWith("\n") ? "\n" : ""}${node.nextSibling ? "\n" : ""}`;
    },
  };
}

function itemNumbers(list: HtmlElement): Map<HtmlElement, number> {
  const items = Array.from(list.children).filter(({ nodeName }) => nodeName === "LI");
  const step = list.hasAttribute("reversed") ? -1 : 1;
  const start = Number.parseInt(attributeOf(list, "start"), 10);
  let next = Number.isNaN(start) ? (step < 0 ? items.length : 1) : start;
  return new Map(
    items.map((item) => {
      const own = Number.parseInt(attributeOf(item, "value"), 10);
      const number = Number.isNaN(own) ? next : own;
      next = number + step;
      return [item, number];
    }),
  );
}

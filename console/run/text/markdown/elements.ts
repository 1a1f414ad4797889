import { type ComponentChildren, h } from "preact";
import { visible } from "../visible.ts";
import { readBlocks } from "./blocks.ts";
import { readInlines } from "./inlines.ts";
import type { Block, Definitions, Inline, Item } from "./nodes.ts";

/**
 * A Markdown text of a run as elements. There is no HTML on the way: each element is made here, by the kind of its node.
 * Raw HTML is shown as text, and so are images, which would be requests to other origins.
 */
export function markdownElements(text: string): ComponentChildren {
  const { blocks, definitions } = readBlocks(visible(text));
  return blocks.map((block) => blockElement(block, definitions));
}

function blockElement(block: Block, definitions: Definitions): ComponentChildren {
  const content = (text: string): ComponentChildren => inlineElements(readInlines(text, definitions));
  switch (block.type) {
    case "paragraph":
      return h("p", null, content(block.text));
    case "heading":
      return h(`h${Math.min(6, block.level + 2)}`, null, content(block.text));
    case "code":
      // A scrollable region has to be reachable by keyboard.
      return h("pre", { tabIndex: 0, "data-info": block.info || undefined }, h("code", null, block.text));
    case "quote":
      return h(
        "blockquote",
        null,
        block.blocks.map((each) => blockElement(each, definitions)),
      );
    case "list": {
      const items = block.items.map((item) => h("li", null, itemContent(item, block.loose, definitions)));
      return block.start === undefined ? h("ul", null, items) : h("ol", { start: block.start }, items);
    }
    case "table": {
      const row = (cells: string[], tag: "th" | "td"): ComponentChildren =>
        h(
          "tr",
          null,
          cells.map((cell, column) => h(tag, { class: block.align[column] }, content(cell))),
        );
      const [header = [], ...rows] = block.rows;
      return h(
        "div",
        { class: "table-scroll", tabIndex: 0 },
        h("table", null, [
          h("thead", null, row(header, "th")),
          h(
            "tbody",
            null,
            rows.map((cells) => row(cells, "td")),
          ),
        ]),
      );
    }
    case "rule":
      return h("hr", null);
  }
}

/** In a tight list, text is not set apart as a paragraph. */
function itemContent({ checked, blocks }: Item, loose: boolean, definitions: Definitions): ComponentChildren {
  const content = blocks.map((block) =>
    block.type === "paragraph" && !loose
      ? inlineElements(readInlines(block.text, definitions))
      : blockElement(block, definitions),
  );
  return checked === undefined ? content : [checked ? "☑ " : "☐ ", content];
}

function inlineElements(nodes: Inline[], inLink = false): ComponentChildren {
  return nodes.map((node) => {
    if (typeof node === "string") return node;
    switch (node.type) {
      case "strong":
      case "em":
      case "del":
        return h(node.type, null, inlineElements(node.children, inLink));
      case "code":
        return h("code", null, node.text);
      case "break":
        return h("br", null);
      case "link": {
        const children = inlineElements(node.children, true);
        const { address } = node;
        const target = { href: address, title: address, target: "_blank", rel: "noopener noreferrer nofollow" };
        return inLink ? children : h("a", target, children);
      }
    }
  });
}

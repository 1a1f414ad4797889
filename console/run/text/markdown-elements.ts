import type { MarkedToken, Token, Tokens } from "marked";
import { type ComponentChildren, h } from "preact";
import { plainText, webAddress } from "./markdown-characters.ts";
import { readMarkdown } from "./markdown-reader.ts";
import { visible } from "./visible.ts";

/** Deeper nesting is shown as text: it is an attack on the page, not a document. */
const deepest = 24;

/**
 * A Markdown text of a run as elements. There is no HTML on the way: each element is made here, by the kind of its token.
 * Raw HTML is shown as text, and so are images, which would be requests to other origins.
 */
export function markdownElements(text: string): ComponentChildren {
  const shown = visible(text);
  const read = readMarkdown(shown);
  return read ? elements(read.tokens, { depth: 0 }) : h("p", { class: "plain" }, shown);
}

/** Where a token is. */
interface Place {
  depth: number;
  inLink?: boolean;
  /** In a tight list, text is not set apart as a paragraph. */
  tight?: boolean;
}

function elements(tokens: Token[], place: Place): ComponentChildren {
  if (place.depth > deepest) return tokens.map(({ raw }) => raw);
  return tokens.map((token) => element(token as MarkedToken, { ...place, depth: place.depth + 1 }));
}

function element(token: MarkedToken, place: Place): ComponentChildren {
  switch (token.type) {
    case "paragraph":
      return place.tight ? elements(token.tokens, place) : h("p", null, elements(token.tokens, place));
    case "heading":
      return h(`h${Math.min(6, token.depth + 2)}`, null, elements(token.tokens, place));
    case "code":
      // A scrollable region has to be reachable by keyboard.
      return h("pre", { tabIndex: 0, "data-info": token.lang || undefined }, h("code", null, token.text));
    case "blockquote":
      return h("blockquote", null, elements(token.tokens, { ...place, tight: false }));
    case "list":
      return list(token, place);
    case "table":
      return table(token, place);
    case "hr":
      return h("hr", null);
    case "br":
      return h("br", null);
    case "strong":
    case "em":
    case "del":
      return h(token.type, null, elements(token.tokens, place));
    case "codespan":
      return h("code", null, token.text);
    case "link":
      return link(token, place);
    case "checkbox":
      return token.checked ? "☑ " : "☐ ";
    case "escape":
      return token.text;
    case "text":
      return token.tokens ? elements(token.tokens, place) : plainText(token.raw); // its `text` is half HTML
    case "space":
    case "def":
      return null;
    case "image":
    case "html":
    case "list_item":
      return token.raw;
  }
}

function list({ ordered, start, loose, items }: Tokens.List, place: Place): ComponentChildren {
  const children = items.map((item) => h("li", null, elements(item.tokens, { ...place, tight: !loose })));
  return ordered ? h("ol", { start: Number(start) }, children) : h("ul", null, children);
}

function table({ header, rows }: Tokens.Table, place: Place): ComponentChildren {
  const row = (cells: Tokens.TableCell[], tag: "th" | "td"): ComponentChildren =>
    h(
      "tr",
      null,
      cells.map(({ align, tokens }) => h(tag, { class: align ?? undefined }, elements(tokens, place))),
    );
  const body = rows.map((cells) => row(cells, "td"));
  const children = [h("thead", null, row(header, "th")), h("tbody", null, body)];
  return h("div", { class: "table-scroll", tabIndex: 0 }, h("table", null, children));
}

/** A link to the web or to a mail address. Any other is shown as its source. */
function link({ href, raw, tokens }: Tokens.Link, place: Place): ComponentChildren {
  const address = webAddress(href);
  if (address === undefined) return raw;
  const children = elements(tokens, { ...place, inLink: true });
  const target = { href: address, title: address, target: "_blank", rel: "noopener noreferrer nofollow" };
  return place.inLink ? children : h("a", target, children);
}

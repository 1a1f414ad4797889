import { lexer, type Token, type Tokens } from "marked";
import { type ComponentChildren, Fragment, h } from "preact";
import { visible } from "./visible.ts";

/** Deeper nesting is shown as text: it is an attack on the reader, not a document. */
const deepest = 24;

/**
 * Marks of emphasis in one paragraph. The parser's time grows with their square: `*a_` repeated in 16 KB takes 3.4 s, in
 * which the page stands still.
 */
const mostMarks = 400;

/**
 * A text of a run as elements. There is no HTML on the way: each element is made here, by the kind of its token. Raw HTML
 * is shown as text, and so are images, which would be requests to other origins. A text that cannot be parsed is shown as
 * it is.
 */
export function markdownElements(text: string): ComponentChildren {
  const shown = visible(text);
  if (shown.split(/\n\s*\n/).some((paragraph) => (paragraph.match(/[*_]/g)?.length ?? 0) > mostMarks)) {
    return h("p", null, shown);
  }
  try {
    return blocks(lexer(shown), 0);
  } catch {
    return h("p", null, shown); // nested too deeply for the parser
  }
}

function blocks(tokens: Token[], depth: number): ComponentChildren {
  return tokens.map((token, index) => h(Fragment, { key: index }, element(token, depth)));
}

/** The content of a token that contains others. */
function inside({ tokens = [], raw }: { tokens?: Token[] | undefined; raw: string }, depth: number): ComponentChildren {
  return depth < deepest ? blocks(tokens, depth + 1) : raw;
}

function element(token: Token, depth: number): ComponentChildren {
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "heading":
      return h(`h${Math.min(6, (token as Tokens.Heading).depth + 2)}`, null, inside(token as Tokens.Heading, depth));
    case "paragraph":
      return h("p", null, inside(token as Tokens.Paragraph, depth));
    case "blockquote":
      return h("blockquote", null, inside(token as Tokens.Blockquote, depth));
    case "code":
      // A scrollable region has to be reachable by keyboard.
      return h("pre", { tabIndex: 0 }, h("code", null, (token as Tokens.Code).text));
    case "hr":
      return h("hr", null);
    case "list":
      return list(token as Tokens.List, depth);
    case "table":
      return table(token as Tokens.Table, depth);
    case "strong":
    case "em":
    case "del":
      return h(token.type, null, inside(token as Tokens.Strong, depth));
    case "codespan":
      return h("code", null, (token as Tokens.Codespan).text);
    case "br":
      return h("br", null);
    case "link":
      return link(token as Tokens.Link, depth);
    case "checkbox":
      return (token as Tokens.Checkbox).checked ? "☑ " : "☐ ";
    case "text":
    case "escape": {
      const { tokens, text } = token as Tokens.Text;
      return tokens ? inside({ tokens, raw: text }, depth) : withEntities(text);
    }
    default: // html, image, and what later versions of the parser add
      return token.raw;
  }
}

function list({ ordered, start, items }: Tokens.List, depth: number): ComponentChildren {
  const rows = items.map((item, index) => h("li", { key: index }, inside(item, depth)));
  return ordered ? h("ol", { start: Number(start) || 1 }, rows) : h("ul", null, rows);
}

function table({ header, rows }: Tokens.Table, depth: number): ComponentChildren {
  const row = (cells: Tokens.TableCell[], tag: "th" | "td"): ComponentChildren =>
    cells.map(({ tokens, text, align }, index) =>
      h(tag, { key: index, class: align ?? undefined }, inside({ tokens, raw: text }, depth)),
    );
  return h("div", { class: "table-scroll", tabIndex: 0 }, [
    h("table", { key: 0 }, [
      h("thead", { key: 0 }, h("tr", null, row(header, "th"))),
      h(
        "tbody",
        { key: 1 },
        rows.map((cells, index) => h("tr", { key: index }, row(cells, "td"))),
      ),
    ]),
  ]);
}

/** A link to the web or to a mail address, with its address as tooltip. Any other is shown as text. */
function link(token: Tokens.Link, depth: number): ComponentChildren {
  const { href, raw } = token;
  if (!/^(https?|mailto):$/.test(URL.parse(href)?.protocol ?? "")) return raw;
  const target = { href, title: href, target: "_blank", rel: "noopener noreferrer nofollow" };
  return h("a", target, inside(token, depth));
}

const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", nbsp: "\u00a0" };

/** The usual character references of HTML as characters. */
function withEntities(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (reference, name: string) => entities[name] ?? reference);
}

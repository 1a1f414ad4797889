import createPurify from "dompurify";
import { Marked } from "marked";
import { visible } from "./visible.ts";

/**
 * Markdown without raw HTML and without images, which would be requests to other origins. Both are shown as text, so the
 * sanitizer behind this finds nothing to report under the Content-Security-Policy.
 */
const marked = new Marked({
  gfm: true,
  async: false,
  renderer: {
    html: ({ text }) => escaped(text),
    image: ({ href, text }) => `<code>${escaped(`${text} ${href}`.trim())}</code>`,
    checkbox: ({ checked }) => (checked ? "☑ " : "☐ "),
  },
});

/** What Markdown needs, and nothing else. */
const tags = [
  "h1",
  "h2",
  "h3",
  "h4",
  "h5",
  "h6",
  "p",
  "br",
  "hr",
  "blockquote",
  "ul",
  "ol",
  "li",
  "a",
  "em",
  "strong",
  "del",
  "code",
  "pre",
  "table",
  "thead",
  "tbody",
  "tr",
  "th",
  "td",
  "#text",
];

const purify = createPurify(window);

purify.addHook("afterSanitizeAttributes", (node) => {
  if (node.tagName !== "A") return;
  node.setAttribute("target", "_blank");
  node.setAttribute("rel", "noopener noreferrer nofollow");
  node.setAttribute("title", node.getAttribute("href") ?? "");
});

/** The text of a run as nodes: no scripts, styles, forms, images or attributes but those of links and code. */
export function markdownFragment(text: string): DocumentFragment {
  return purify.sanitize(marked.parse(visible(text)) as string, {
    RETURN_DOM_FRAGMENT: true,
    ALLOWED_TAGS: tags,
    ALLOWED_ATTR: ["href", "start", "align"],
    ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
  });
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

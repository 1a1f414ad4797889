// By a name that the compiler does not follow: Preact's types bring those of a browser.
const module: string = new URL("../../../console/run/text/markdown-elements.ts", import.meta.url).href;
const { markdownElements } = (await import(module)) as { markdownElements: (text: string) => unknown };

interface Element {
  type: string;
  props: { children: unknown; tabIndex?: number };
}

const short: Record<string, string> = { strong: "b" };
/** Shown only by their content. */
const frames = new Set(["div", "thead", "tbody"]);

/**
 * What the page makes of a Markdown text, as HTML that is short enough for a table of cases: `<` and `&` of text are
 * escaped, `<b>` stands for `strong`, `<td left>` for the class, and `<pre>` for the two elements of code.
 */
export function html(text: string): string {
  return htmlOf(markdownElements(text));
}

/** What a person can read of it. */
export function shownText(text: string): string {
  return textOf(markdownElements(text));
}

/** How deep its elements are in each other. */
export function levels(text: string): number {
  return levelsOf(markdownElements(text));
}

function levelsOf(node: unknown): number {
  if (Array.isArray(node)) return Math.max(0, ...node.map(levelsOf));
  if (typeof node !== "object" || node === null) return 0;
  return 1 + levelsOf((node as Element).props.children);
}

function htmlOf(node: unknown): string {
  if (Array.isArray(node)) return node.map(htmlOf).join("");
  if (typeof node === "string") return node.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  if (typeof node !== "object" || node === null) return "";
  const { type, props } = node as Element;
  if (type === "br" || type === "hr") return `<${type}>`;
  const content = htmlOf(props.children);
  if (frames.has(type)) return content;
  const name = short[type] ?? type;
  const { children: _, tabIndex: __, ...rest } = props;
  const attributes = Object.entries(rest as Record<string, string | undefined>).map(([key, value]) => {
    if (value === undefined) return "";
    return key === "class" ? ` ${value}` : ` ${key.replace("data-", "")}="${value}"`;
  });
  const inner = type === "pre" ? content.replace(/^<code>|<\/code>$/g, "") : content;
  return `<${name}${attributes.join("")}>${inner}</${name}>`;
}

function textOf(node: unknown): string {
  if (Array.isArray(node)) return node.map(textOf).join("");
  if (typeof node === "string") return node;
  if (typeof node !== "object" || node === null) return "";
  const { type, props } = node as Element;
  const content = textOf(props.children);
  if (type === "pre") return `${(props as { "data-info"?: string })["data-info"] ?? ""}\n${content}\n`;
  return /^(p|h\d|li|t[dhr]|br|hr)$/.test(type) ? `${content}\n` : content;
}

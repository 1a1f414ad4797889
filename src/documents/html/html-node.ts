/** The part of the DOM that is used here. The types of TypeScript's DOM library would apply to the whole project. */
export interface HtmlNode {
  nodeType: number;
  nodeValue: string | null;
  nodeName: string;
  textContent: string;
  parentNode: HtmlElement | null;
  childNodes: ArrayLike<HtmlNode>;
}

export interface HtmlElement extends HtmlNode {
  /** The cells of a row. */
  cells: ArrayLike<HtmlElement>;
  children: ArrayLike<HtmlElement>;
  ownerDocument: HtmlElement;
  getAttribute(name: string): string | null;
  hasAttribute(name: string): boolean;
  closest(selector: string): HtmlElement | null;
  querySelector(selector: string): HtmlElement | null | undefined;
  /** Throws for a selector that is not valid. */
  querySelectorAll(selector: string): ArrayLike<HtmlElement>;
}

/** The value of an attribute on one line. Empty if it is absent. */
export function attributeOf(element: HtmlElement, name: string): string {
  return (element.getAttribute(name) ?? "").replaceAll(/\s+/g, " ").trim();
}

/** The value of a property in the attribute `style`, in lower case. */
export function styleOf(element: HtmlElement, property: string): string | undefined {
  const style = element.getAttribute("style");
  return style === null ? undefined : declarations(style).get(property);
}

/** Properties and values of CSS, in lower case. The last of two wins. */
export function declarations(css: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const each of css.toLowerCase().split(";")) {
    const colon = each.indexOf(":");
    if (colon > 0)
      found.set(
        each.slice(0, colon).trim(),
        each
          .slice(colon + 1)
          .replace("!important", "")
          .trim(),
      );
  }
  return found;
}

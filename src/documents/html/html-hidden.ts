import { declarations, type HtmlElement } from "./html-node.ts";

/** Rules of style sheets that are applied. A page of a large site has some hundreds that hide something. */
const maxRules = 500;

/**
 * Returns whether an element is hidden by itself: by an attribute, its own style, or a style sheet in the document. Not
 * applied: rules for some widths or states, sheets of other files, and most of the cascade.
 */
export function hiddenElements(): (element: HtmlElement) => boolean {
  let bySheet: Map<HtmlElement, boolean> | undefined;
  let hasBackgrounds = false;
  const known = new Map<HtmlElement, boolean>();

  function isHidden(element: HtmlElement): boolean {
    if (!bySheet) {
      const css = Array.from(element.ownerDocument.querySelectorAll("style"), ({ textContent }) => textContent).join(
        "\n",
      );
      hasBackgrounds = /background/i.test(css) || Boolean(element.ownerDocument.querySelector("link[rel=stylesheet]"));
      bySheet = sheetRules(element.ownerDocument, css);
    }
    if (element.hasAttribute("hidden")) return true;
    if (element.nodeName === "DIALOG" && !element.hasAttribute("open")) return true;
    if (element.nodeName === "DATALIST") return true; // suggestions for a field
    const style = element.getAttribute("style");
    const own = style === null ? new Map<string, string>() : declarations(style);
    const stated = hides(own);
    const isHiddenBySheet = stated === undefined && (bySheet.get(element) ?? false);
    return stated === true || isHiddenBySheet || hasColorOfBackground(element, own, hasBackgrounds);
  }

  return (element) => {
    const before = known.get(element);
    const hidden = before ?? isHidden(element);
    if (before === undefined) known.set(element, hidden);
    return hidden;
  };
}

const isZero = (value = "") => /^0*\.?0*(?:px|pt|em|rem|%)?$/.test(value) && value !== "";

/** Whether properties of CSS hide an element. Undefined: they say nothing about it. */
function hides(properties: Map<string, string>): boolean | undefined {
  const of = (name: string) => properties.get(name);
  const isClipped = /hidden|clip/.test(of("overflow") ?? "");
  const isOutside = /^(?:absolute|fixed)$/.test(of("position") ?? "");
  if (
    of("display") === "none" ||
    /^(?:hidden|collapse)$/.test(of("visibility") ?? "") ||
    /^0*\.?0+$/.test(of("opacity") ?? "") ||
    of("mso-hide") === "all" ||
    isZero(of("font-size")) ||
    /^(?:0?\.\d+|1)(?:px|pt)$/.test(of("font-size") ?? "") ||
    /^-\d{3,}/.test(of("text-indent") ?? "") ||
    (isClipped && (isZero(of("max-height")) || isZero(of("height")) || isZero(of("width")))) ||
    (isOutside && (/^-\d{3,}/.test(of("left") ?? "") || /^-\d{3,}/.test(of("top") ?? ""))) ||
    /^rect\(\s*0\w*[ ,]+0\w*[ ,]+0\w*[ ,]+0\w*\s*\)$/.test(of("clip") ?? "")
  )
    return true;
  return of("display") !== undefined || of("visibility") !== undefined ? false : undefined;
}

/** Text in the color of its background, where both are stated. `hasBackgrounds`: style sheets state some. */
function hasColorOfBackground(element: HtmlElement, own: Map<string, string>, hasBackgrounds: boolean): boolean {
  const color = plainColor(
    own.get("color") ?? (element.nodeName === "FONT" ? element.getAttribute("color") : null) ?? "",
  );
  if (color === "") return false;
  if (color === "transparent") return true;
  for (let around: HtmlElement | null = element; around?.getAttribute; around = around.parentNode) {
    const style = declarations(around.getAttribute("style") ?? "");
    const stated = style.get("background-color") ?? style.get("background") ?? around.getAttribute("bgcolor") ?? "";
    if (stated !== "" && !/^(?:transparent|none|inherit)$/.test(stated)) return plainColor(stated) === color;
  }
  return color === "ffffff" && !hasBackgrounds;
}

/** A color as six hexadecimal digits, if it is white or stated in digits. */
function plainColor(text: string): string {
  const color = text.trim().toLowerCase();
  const [, short] = /^#?([\da-f]{3})$/.exec(color) ?? [];
  const [, long] = /^#?([\da-f]{6})$/.exec(color) ?? [];
  if (short !== undefined) return short.replaceAll(/./g, "$&$&");
  if (long !== undefined) return long;
  const [, red, green, blue, alpha = "1"] =
    /^rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})(?:[\s,/]+([\d.]+))?\s*\)$/.exec(color) ?? [];
  if (Number(alpha) === 0 || color === "transparent") return "transparent";
  if (red !== undefined) return [red, green, blue].map((each) => Number(each).toString(16).padStart(2, "0")).join("");
  return { white: "ffffff", black: "000000" }[color] ?? color;
}

/** Elements that rules of the style sheets hide or show. A later rule wins. */
function sheetRules(document: HtmlElement, css: string): Map<HtmlElement, boolean> {
  const found = new Map<HtmlElement, boolean>();
  let left = maxRules;
  for (const { selectors, body } of topRules(css)) {
    const hidden = hides(declarations(body));
    if (hidden === undefined || (!hidden && found.size === 0)) continue;
    for (const selector of selectors.split(",")) {
      // States such as `:hover` change while a person reads. Each selector is matched against all elements.
      if (selector.includes(":") || left-- <= 0) continue;
      for (const element of matches(document, selector.trim())) found.set(element, hidden);
    }
  }
  return found;
}

function matches(document: HtmlElement, selector: string): HtmlElement[] {
  try {
    return Array.from(document.querySelectorAll(selector));
  } catch {
    return []; // not a selector
  }
}

/** Rules of a style sheet that apply always, not those within `@media` and others. */
function* topRules(css: string): Generator<{ selectors: string; body: string }> {
  const text = css.replaceAll(/\/\*[\s\S]*?(?:\*\/|$)|<!--|-->/g, "");
  let [start, depth, open] = [0, 0, 0];
  for (const { 0: brace, index } of text.matchAll(/[{};]/g)) {
    if (brace === "{" && depth++ === 0) open = index;
    if (brace === ";" && depth === 0) start = index + 1;
    if (brace !== "}" || depth === 0 || --depth > 0) continue;
    const selectors = text.slice(start, open).trim();
    if (!selectors.startsWith("@")) yield { selectors, body: text.slice(open + 1, index) };
    start = index + 1;
  }
}

import { equationText, type MathNode } from "../office/equation.ts";
import { attributeOf, type HtmlElement, type HtmlNode } from "./html-node.ts";
import type { Ledger } from "../ledger.ts";
import { ownValue } from "../office/own-value.ts";

type Replacement = (content: string, element: HtmlElement, ledger: Ledger) => string;

/** Options of a list that are named. */
const maxOptions = 50;

/** What is shown of an element that has no text: its state, or its name. By node names. */
const replacements: Record<string, Replacement> = {
  INPUT: (_, element, ledger) => inputText(element, ledger),
  TEXTAREA: (_, element) => field(element, element.textContent.trim()),
  SELECT: (_, element) => chosenText(element),
  METER: (content, element) => content.trim() || `[${attributeOf(element, "value")}]`,
  PROGRESS: (content, element) => content.trim() || `[${attributeOf(element, "value")}]`,
  IMG: (_, element, ledger) => imageText(element, ledger),
  IFRAME: (_, element, ledger) => leftOut("embedded page", attributeOf(element, "src"), ledger),
  FRAME: (_, element, ledger) => leftOut("embedded page", attributeOf(element, "src"), ledger),
  OBJECT: (content, element, ledger) =>
    leftOut("embedded object", attributeOf(element, "data"), ledger) + (content.trim() === "" ? "" : ` ${content}`),
  EMBED: (_, element, ledger) => leftOut("embedded object", attributeOf(element, "src"), ledger),
  APPLET: (content, _, ledger) => `${leftOut("embedded object", "", ledger)} ${content}`,
  VIDEO: (_, element, ledger) => leftOut("video", attributeOf(element, "src"), ledger),
  AUDIO: (_, element, ledger) => leftOut("audio recording", attributeOf(element, "src"), ledger),
  CANVAS: (content, _, ledger) => content.trim() || leftOut("drawing by a script", "", ledger),
  SVG: (_, element, ledger) => drawingText(element, ledger),
  MATH: (_, element) => mathText(element),
  RT: (content) => (content.trim() === "" ? "" : `(${content.trim()})`),
  RP: () => "",
  Q: (content) => `“${content}”`,
  SCRIPT: () => "",
  STYLE: () => "",
  NOSCRIPT: (content, element, ledger) =>
    withoutWord("text for browsers without scripts", element, ledger, "texts for browsers without scripts"),
  TEMPLATE: (_, element, ledger) => withoutWord("template", element, ledger),
};

/** Whether an element is shown by a replacement instead of its content. */
export function isReplaced({ nodeName }: HtmlElement): boolean {
  return ownValue(replacements, nodeName.toUpperCase()) !== undefined;
}

/** The replacement of an element. Undefined: its content is shown. */
export function elementText(content: string, element: HtmlElement, ledger: Ledger): string | undefined {
  return ownValue(replacements, element.nodeName.toUpperCase())?.(content, element, ledger);
}

/** The label of an element without text, such as an icon that means `yes`. */
export function labelText(element: HtmlElement): string {
  const label = attributeOf(element, "aria-label") || attributeOf(element, "title");
  return label === "" ? "" : `[${label}]`;
}

function leftOut(what: string, source: string, ledger: Ledger): string {
  ledger.leaveOut(what);
  const shown = source.startsWith("data:") ? "" : source;
  return `[${what}, not read${shown === "" ? "" : `: ${shown}`}]`;
}

function withoutWord(what: string, element: HtmlElement, ledger: Ledger, many?: string): string {
  if (element.textContent.trim() !== "") ledger.leaveOut(what, 1, many);
  return "";
}

function field(element: HtmlElement, value: string): string {
  const name = attributeOf(element, "aria-label") || attributeOf(element, "name");
  const hint = attributeOf(element, "placeholder");
  const shown = value === "" ? (hint === "" ? "empty" : `empty, hint: ${hint}`) : value;
  return `[field${name === "" ? "" : ` ${name}`}: ${shown}]`;
}

function inputText(element: HtmlElement, ledger: Ledger): string {
  const value = attributeOf(element, "value");
  const isChecked = element.hasAttribute("checked");
  switch (attributeOf(element, "type").toLowerCase()) {
    case "checkbox":
      return isChecked ? "[x]" : "[ ]";
    case "radio":
      return isChecked ? "(x)" : "( )";
    case "hidden":
      if (value !== "") ledger.leaveOut("hidden value of a form", 1, "hidden values of forms");
      return "";
    case "password":
      return field(element, value === "" ? "" : "password, not shown");
    case "submit":
    case "button":
    case "reset":
      return value === "" ? "" : `[button: ${value}]`;
    case "image":
      return `[button: ${attributeOf(element, "alt")}]`;
    default:
      return field(element, value);
  }
}

function names(options: HtmlElement[]): string {
  const shown = options.slice(0, maxOptions).map(({ textContent }) => textContent.replaceAll(/\s+/g, " ").trim());
  const left = options.length - shown.length;
  return [...shown, ...(left > 0 ? [`${left} more`] : [])].join(", ");
}

/** The chosen options of a list, and the others. */
function chosenText(element: HtmlElement): string {
  const options = Array.from(element.querySelectorAll("option"));
  const stated = options.filter((option) => option.hasAttribute("selected"));
  const isMany = element.hasAttribute("multiple");
  const chosen = stated.length > 0 || isMany ? stated : options.slice(0, 1); // browsers choose the first one
  const others = options.filter((option) => !chosen.includes(option));
  const rest = others.length > 0 ? `; not chosen: ${names(others)}` : "";
  return `[choice: ${names(chosen) || "none"}${rest}]`;
}

function imageText(element: HtmlElement, ledger: Ledger): string {
  const alt = attributeOf(element, "alt");
  const source = attributeOf(element, "src");
  if (source !== "" && !/^data:/i.test(source)) return `![${alt}](${source})`;
  if (alt === "" && source !== "") ledger.leaveOut("picture");
  return alt === "" ? "" : `[picture: ${alt}]`;
}

/** The texts of a drawing. */
function drawingText(element: HtmlElement, ledger: Ledger): string {
  const texts = Array.from(element.querySelectorAll("title, desc, text"), ({ textContent }) => textContent.trim());
  const text = texts
    .filter((each) => each !== "")
    .join(", ")
    .replaceAll(/\s+/g, " ");
  const label = text || attributeOf(element, "aria-label");
  if (label === "") ledger.leaveOut("drawing");
  return label === "" ? "" : `[drawing: ${label}]`;
}

/** Software that writes MathML often adds the equation as TeX, which is shorter. */
function mathText(element: HtmlElement): string {
  const tex = element.querySelector('annotation[encoding="application/x-tex"]')?.textContent ?? "";
  const source = tex.trim() || attributeOf(element, "alttext");
  return source === "" ? equationText(mathNode(element, 0)) : `$${source.replaceAll(/\s+/g, " ")}$`;
}

/** Elements within each other that are read. */
const maxDepth = 60;

function mathNode(element: HtmlElement, depth: number): MathNode {
  const fences = ["open", "close"].filter((name) => element.hasAttribute(name));
  const childOf = (node: HtmlNode): MathNode | string =>
    node.nodeType === 1 && depth < maxDepth ? mathNode(node as HtmlElement, depth + 1) : node.textContent.trim();
  return {
    name: element.nodeName.toLowerCase().replace(/^.*:/, ""),
    attributes: Object.fromEntries(fences.map((name) => [name, attributeOf(element, name)])),
    children: Array.from(element.childNodes, childOf).filter((child) => child !== ""),
  };
}

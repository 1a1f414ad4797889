import { ownValue } from "./own-value.ts";

/** An element of an equation, in Office Open XML (OMML) or MathML. */
export interface MathNode {
  /** Without a namespace. */
  name: string;
  attributes: Record<string, string>;
  children: (MathNode | string)[];
}

/** Elements within each other. Equations of people have about 10. */
const maxDepth = 60;

/** Builds the tree of an equation from the events of XML. */
export function mathBuilder(name: string) {
  const root: MathNode = { name, attributes: {}, children: [] };
  const path = [root];
  let beyond = 0;
  return {
    open(child: string, attributes: Record<string, string>): void {
      if (path.length > maxDepth) return void beyond++;
      const node: MathNode = { name: child, attributes, children: [] };
      path.at(-1)?.children.push(node);
      path.push(node);
    },
    close(): void {
      if (beyond > 0) beyond--;
      else if (path.length > 1) path.pop();
    },
    text(text: string): void {
      // Beyond the depth, only the texts of elements are kept.
      path.at(-1)?.children.push(beyond > 0 ? { name: "t", attributes: {}, children: [text] } : text);
    },
    /** The equation as text on one line: `(-b±√(b^2-4ac))/(2a)`. */
    toString: () => equationText(root),
  };
}

/** Writes an equation on one line, with `^`, `_` and `/`, so that no number changes: 10⁶ is `10^6`. */
export function equationText(node: MathNode): string {
  return linear(node).replaceAll(/\s+/g, " ").trim();
}

/** Elements with text. Others contain only elements, and blanks between them. */
const leaves = new Set(["t", "mi", "mn", "mo", "mtext", "ms"]);

function linear(node: MathNode): string {
  const { name, children } = node;
  if (leaves.has(name)) return children.map((child) => (typeof child === "string" ? child : linear(child))).join("");
  // Properties, such as the font; texts for other software; elements that only take room.
  if (/Pr$|^(?:annotation|annotation-xml|mphantom)$/.test(name)) return "";
  const shape = ownValue(shapes, name);
  return shape ? shape(node) : inner(node);
}

const nodes = ({ children }: MathNode) => children.filter((child) => typeof child !== "string");
const inner = (node: MathNode) => nodes(node).map(linear).join("");
const childOf = (node: MathNode, name: string) => nodes(node).find((child) => child.name === name);
const partOf = (node: MathNode, name: string) => {
  const child = childOf(node, name);
  return child ? linear(child) : "";
};
/** The nth element of MathML, which gives parts no names. */
const nth = (node: MathNode, index: number) => {
  const child = nodes(node)[index];
  return child ? linear(child) : "";
};

/** A value of the properties of OMML: `chr` of `naryPr`. */
function property(node: MathNode, name: string, otherwise: string): string {
  const properties = nodes(node).find((child) => child.name.endsWith("Pr"));
  const found = properties && childOf(properties, name);
  return found ? (found.attributes["m:val"] ?? "") : otherwise;
}

/** In parentheses, unless it is one word or number. */
function group(text: string): string {
  const trimmed = text.trim();
  return /^(?:\p{L}+|[\p{N}.,]+|\p{S}|\([^()]*\))$/u.test(trimmed) ? trimmed : `(${trimmed})`;
}

const power = (base: string, up: string) => (up.trim() === "" ? base : `${base}^${group(up)}`);
const index = (base: string, down: string) => (down.trim() === "" ? base : `${base}_${group(down)}`);
const fraction = (above: string, below: string) => `${group(above)}/${group(below)}`;
const root = (of: string, degree = "") => (degree.trim() === "" ? `√(${of})` : `root(${degree.trim()}, ${of})`);
/** An operand of powers that is longer than a word is in parentheses. */
const base = (text: string) => (/^[\p{L}\p{N}.,∑∏∫)\]|′']+$/u.test(text.trim()) || text === "" ? text : group(text));
const rows = (all: string[]) => `[${all.join("; ")}]`;

function between(node: MathNode): string {
  const separator = property(node, "sepChr", "|");
  const parts = nodes(node)
    .filter(({ name }) => name === "e")
    .map(linear);
  return property(node, "begChr", "(") + parts.join(separator) + property(node, "endChr", ")");
}

const shapes: Record<string, (node: MathNode) => string> = {
  // OMML: ECMA-376, part 1, 22.1
  f: (node) =>
    property(node, "type", "") === "noBar"
      ? `(${partOf(node, "num")} over ${partOf(node, "den")})`
      : fraction(partOf(node, "num"), partOf(node, "den")),
  sSup: (node) => power(base(partOf(node, "e")), partOf(node, "sup")),
  sSub: (node) => index(base(partOf(node, "e")), partOf(node, "sub")),
  sSubSup: (node) => power(index(base(partOf(node, "e")), partOf(node, "sub")), partOf(node, "sup")),
  sPre: (node) => power(index("", partOf(node, "sub")), partOf(node, "sup")) + partOf(node, "e"),
  rad: (node) => root(partOf(node, "e"), partOf(node, "deg")),
  nary: (node) =>
    `${power(index(property(node, "chr", "∫"), partOf(node, "sub")), partOf(node, "sup"))} ${partOf(node, "e")}`,
  d: between,
  func: (node) => `${partOf(node, "fName")} ${partOf(node, "e")}`,
  limLow: (node) => index(partOf(node, "e"), partOf(node, "lim")),
  limUpp: (node) => power(partOf(node, "e"), partOf(node, "lim")),
  acc: (node) => base(partOf(node, "e")) + property(node, "chr", "\u0302"),
  bar: (node) => `${base(partOf(node, "e"))}\u0305`,
  m: (node) =>
    rows(
      nodes(node)
        .filter(({ name }) => name === "mr")
        .map((row) => cells(row, "e")),
    ),
  eqArr: (node) =>
    nodes(node)
      .filter(({ name }) => name === "e")
      .map(linear)
      .join("; "),
  phant: (node) => (property(node, "show", "1") === "0" ? "" : partOf(node, "e")),
  // MathML: https://www.w3.org/TR/mathml-core/
  mfrac: (node) => fraction(nth(node, 0), nth(node, 1)),
  msup: (node) => power(base(nth(node, 0)), nth(node, 1)),
  msub: (node) => index(base(nth(node, 0)), nth(node, 1)),
  msubsup: (node) => power(index(base(nth(node, 0)), nth(node, 1)), nth(node, 2)),
  munder: (node) => index(nth(node, 0), nth(node, 1)),
  mover: (node) => power(nth(node, 0), nth(node, 1)),
  munderover: (node) => power(index(nth(node, 0), nth(node, 1)), nth(node, 2)),
  msqrt: (node) => root(inner(node)),
  mroot: (node) => root(nth(node, 0), nth(node, 1)),
  mtable: (node) => rows(nodes(node).map((row) => cells(row, "mtd"))),
  mfenced: ({ attributes: { open = "(", close = ")" }, ...node }) =>
    open +
    nodes({ attributes: {}, ...node })
      .map(linear)
      .join(", ") +
    close,
};

const cells = (row: MathNode, name: string) =>
  nodes(row)
    .filter((cell) => cell.name === name)
    .map(linear)
    .join(", ");

import { mathBuilder } from "../office/equation.ts";
import type { Ledger } from "../ledger.ts";
import { type MarkdownBuilder, markdownBuilder } from "../markdown.ts";
import { officeXmlHandler } from "../office/office-text.ts";
import { slideNumbers } from "./slide-numbers.ts";
import { hiddenText } from "../text-format.ts";
import { ownValue } from "../office/own-value.ts";
import { parseXml, type XmlHandler } from "../office/xml.ts";

/** A place on a slide, in English Metric Units: 914,400 are an inch. */
interface Place {
  x: number;
  y: number;
}

/** Texts whose tops differ by less are beside each other. */
const sameRow = 182_880;

/** A shape with its text, or a group of them. */
interface Shape {
  place?: Place;
  /** The type of a placeholder, such as `title`. Empty: none. */
  type: string;
  index?: string | undefined;
  description: string;
  isHidden: boolean;
  isPicture: boolean;
  builder: MarkdownBuilder;
  office: ReturnType<typeof officeXmlHandler>;
  children: Shape[];
}

/** Groups within each other whose places are compared. */
const maxGroups = 50;

const shapes = new Set(["sp", "pic", "graphicFrame", "grpSp", "cxnSp"]);
const isTable = (text = "") => text.startsWith("| ");
const isTitle = ({ type }: Shape) => type === "title" || type === "ctrTitle";

interface SlideContext {
  /** Places of placeholders in the layout and in the master. */
  places: Map<string, Place>[];
  /** Texts of diagrams, by relationship. Those that are read are removed. */
  drawings: Map<string, string>;
  ledger: Ledger;
  /** The page of notes: only the notes are read. */
  isNotes: boolean;
}

/** Reads the shapes of a slide, or of its page of notes. */
export class SlideReader implements XmlHandler {
  isHidden = false;
  #context: SlideContext;
  #numbers = slideNumbers();
  #open: Shape[] = [this.#newShape()];
  /** Alternatives around the current place that are not read. */
  #fallbacks = 0;
  #math: { builder: ReturnType<typeof mathBuilder>; depth: number } | undefined;

  constructor(context: SlideContext) {
    this.#context = context;
  }

  open(name: string, attributes: Record<string, string>): void {
    if (name === "Fallback") this.#fallbacks++; // the same content for older software
    if (this.#fallbacks > 0) return;
    if (this.#math) {
      this.#math.depth++;
      return this.#math.builder.open(name, attributes);
    }
    if (shapes.has(name)) this.#push(name);
    ownValue(this.#opened, name)?.(attributes);
    this.#numbers.open(name, attributes);
    this.#shape.office.open(name, attributes);
  }

  close(name: string): void {
    if (name === "Fallback") this.#fallbacks--;
    if (name === "Fallback" || this.#fallbacks > 0) return;
    if (this.#math) {
      if (this.#math.depth-- > 0) return this.#math.builder.close();
      this.#shape.builder.addText(this.#math.builder.toString());
      this.#math = undefined;
      return;
    }
    this.#shape.office.close(name);
    if (shapes.has(name) && this.#open.length > 1) this.#open.pop();
  }

  text(text: string): void {
    if (this.#fallbacks > 0) return;
    if (this.#math) this.#math.builder.text(text);
    else this.#shape.office.text(text);
  }

  /** The text of the slide: titles, then from top to bottom and left to right. */
  toString(): string {
    return this.#textOf(this.#open[0]?.children ?? []);
  }

  get #shape(): Shape {
    return this.#open.at(-1) as Shape;
  }

  #newShape(): Shape {
    const builder = markdownBuilder();
    const shape: Omit<Shape, "office"> = {
      type: "",
      description: "",
      isHidden: false,
      isPicture: false,
      builder,
      children: [],
    };
    return Object.assign(shape, { office: officeXmlHandler(builder, () => this.#marker(shape.type)) });
  }

  #push(name: string): void {
    const shape = this.#newShape();
    shape.isPicture = name === "pic";
    this.#open[Math.min(this.#open.length - 1, maxGroups)]?.children.push(shape);
    this.#open.push(shape);
    this.#numbers.restart();
  }

  /** The bullet or number of a paragraph. */
  #marker(type: string): { prefix: string; label: string } {
    const { level, number } = this.#numbers.end();
    const indent = "  ".repeat(level);
    if (this.#context.isNotes) return { prefix: "", label: number };
    if (type === "title" || type === "ctrTitle") return { prefix: "# ", label: number };
    if (number !== "") return { prefix: indent, label: number };
    return { prefix: type === "body" || type === "obj" ? `${indent}- ` : "", label: "" };
  }

  #isKept({ type, children }: Shape): boolean {
    if (this.#context.isNotes) return type === "body" || children.length > 0;
    return type !== "sldNum" && type !== "dt";
  }

  #textOf(all: Shape[]): string {
    const texts = this.#inOrder(all.filter((shape) => this.#isKept(shape))).flatMap((shape) => {
      const own = [shape.builder.toString(), this.#textOf(shape.children)].filter((text) => text !== "").join("\n");
      const text = own || this.#description(shape);
      if (text === "") return [];
      return shape.isHidden ? hiddenText(text) : text;
    });
    return texts
      .map((text, index) => (index > 0 && (isTable(text) || isTable(texts[index - 1])) ? `\n${text}` : text))
      .join("\n");
  }

  #description({ isPicture, description }: Shape): string {
    if (isPicture && !this.#context.isNotes) this.#context.ledger.leaveOut("picture");
    return description === "" || this.#context.isNotes ? "" : `[${isPicture ? "picture" : "drawing"}: ${description}]`;
  }

  #inOrder(all: Shape[]): Shape[] {
    const nowhere = { x: 0, y: Number.MAX_SAFE_INTEGER };
    const placed = all.map((shape) => ({ shape, ...(this.#placeOf(shape) ?? nowhere) }));
    placed.sort((a, b) => a.y - b.y);
    const rows: (typeof placed)[] = [];
    for (const each of placed) {
      const row = rows.at(-1);
      if (row?.[0] && each.y - row[0].y < sameRow) row.push(each);
      else rows.push([each]);
    }
    const sorted = rows.flatMap((row) => row.toSorted((a, b) => a.x - b.x)).map(({ shape }) => shape);
    return [...sorted.filter(isTitle), ...sorted.filter((shape) => !isTitle(shape))];
  }

  /** A placeholder without a place has that of the layout, or of the master. */
  #placeOf({ place, type, index }: Shape): Place | undefined {
    if (place || type === "") return place;
    const [layout, master] = this.#context.places;
    const byType = { ctrTitle: "title", subTitle: "body", obj: "body" }[type] ?? type;
    return (
      (index === undefined ? undefined : layout?.get(`index ${index}`)) ??
      layout?.get(`type ${type}`) ??
      layout?.get(`type ${byType}`) ??
      master?.get(`type ${byType}`)
    );
  }

  #leaveOut(what: string, mark = ""): void {
    this.#context.ledger.leaveOut(what);
    if (mark !== "") this.#shape.builder.addLine(mark);
  }

  #opened: Record<string, (attributes: Record<string, string>) => void> = {
    sld: ({ show }) => (this.isHidden = show === "0"),
    ph: ({ type = "obj", idx }) => Object.assign(this.#shape, { type, index: idx }),
    off: ({ x, y }) => {
      if (this.#open.length > 1) this.#shape.place ??= { x: Number(x) || 0, y: Number(y) || 0 };
    },
    cNvPr: ({ descr = "", title = "", hidden = "" }) => {
      if (this.#open.length < 2) return;
      this.#shape.description ||= (descr.trim() || title).replaceAll(/\s+/g, " ").trim();
      this.#shape.isHidden ||= /^(?:1|true)$/.test(hidden);
    },
    oMath: () => (this.#math = { builder: mathBuilder("oMath"), depth: 0 }),
    relIds: (attributes) => {
      const id = attributes["r:dm"] ?? "";
      this.#shape.builder.addLine(this.#context.drawings.get(id) ?? "[Diagram, not read]");
      this.#context.drawings.delete(id);
    },
    oleObj: ({ progId = "unknown" }) => this.#leaveOut("embedded object", `[embedded object, not read: ${progId}]`),
    videoFile: () => this.#leaveOut("video"),
    audioFile: () => this.#leaveOut("audio recording"),
  };
}

/** The places of the placeholders of a layout or master, by `type title` and `index 1`. */
export function placeholderPlaces(xml: string): Map<string, Place> {
  const places = new Map<string, Place>();
  let keys: string[] = [];
  parseXml(xml, {
    open(name, { type = "obj", idx, x, y }) {
      if (shapes.has(name)) keys = [];
      if (name === "ph") keys = [`type ${type}`, ...(idx === undefined ? [] : [`index ${idx}`])];
      if (name !== "off") return;
      for (const key of keys) if (!places.has(key)) places.set(key, { x: Number(x) || 0, y: Number(y) || 0 });
    },
    close() {},
    text() {},
  });
  return places;
}

import type { Ledger } from "../ledger.ts";
import { ownValue } from "../office/own-value.ts";

/** A drawing, or an embedded object, which is shown by a picture. */
interface Drawing {
  description: string;
  pictures: number;
  object: string;
}

/** Where the texts of drawings go: into the open paragraph, or behind it. */
interface DrawingTarget {
  add: (text: string) => void;
  follow: (text: string) => void;
}

/**
 * Pictures, charts, diagrams and embedded objects of a Word document. Text boxes are text. `texts`: of charts and diagrams, by
 * relationship.
 */
export function wordDrawings(texts: Map<string, string>, ledger: Ledger, { add, follow }: DrawingTarget) {
  const open: Drawing[] = [];
  const push = () => void open.push({ description: "", pictures: 0, object: "" });

  function describe(...candidates: (string | undefined)[]): void {
    const drawing = open.at(-1);
    const text = candidates.find((each) => each !== undefined && each.trim() !== "");
    if (drawing && text !== undefined) drawing.description ||= text.replaceAll(/\s+/g, " ").trim();
  }

  function countPicture(): void {
    const drawing = open.at(-1);
    if (drawing) drawing.pictures++;
  }

  function end(): void {
    const { description, pictures, object } = open.pop() ?? { description: "", pictures: 0, object: "" };
    const more = description === "" ? "" : `: ${description}`;
    if (object !== "") {
      const kind = /^(?:Equation|MathType|DSMT)/i.test(object) ? "equation" : "embedded object";
      ledger.leaveOut(kind);
      add(kind === "equation" ? "[equation, not read]" : `[embedded object, not read: ${object}]`);
    } else if (pictures > 0) {
      ledger.leaveOut("picture", pictures);
      if (more !== "") add(`[picture${more}]`);
    } else if (more !== "") add(`[drawing${more}]`);
  }

  const opened: Record<string, (attributes: Record<string, string>) => void> = {
    drawing: push,
    pict: push,
    object: push,
    docPr: ({ descr, title }) => describe(descr, title),
    shape: ({ alt }) => describe(alt),
    blip: countPicture,
    imagedata: countPicture,
    textpath: ({ string = "" }) => string !== "" && add(`[WordArt: ${string}]`),
    chart: (attributes) => follow(texts.get(attributes["r:id"] ?? "") ?? "[Chart, not read]"),
    relIds: (attributes) => follow(texts.get(attributes["r:dm"] ?? "") ?? "[Diagram, not read]"),
    OLEObject: ({ ProgID: program = "unknown" }) => {
      const drawing = open.at(-1);
      if (drawing) drawing.object = program;
    },
  };
  return {
    open: (name: string, attributes: Record<string, string>) => ownValue(opened, name)?.(attributes),
    close(name: string): void {
      if (name === "drawing" || name === "pict" || name === "object") end();
    },
  };
}

import { markdownBuilder } from "../markdown.ts";
import { officeXmlHandler } from "../office/office-text.ts";
import { partOf, relationships } from "../office/relationships.ts";
import { parseXml } from "../office/xml.ts";
import { readMemberText, type ZipMember } from "../zip/zip-archive.ts";

/** A text box of a sheet with the cell at which it begins, counted from 0. */
interface SheetText {
  row: number;
  column: number;
  text: string;
}

/** What lies over the cells of a sheet. The library reads text boxes only if they are not grouped and move with cells. */
export interface SheetDrawings {
  texts: SheetText[];
  pictures: number;
}

/** The text boxes and pictures of the sheets of an XLSX workbook, in the order of the sheets. */
export async function sheetDrawings(members: ZipMember[]): Promise<SheetDrawings[]> {
  const main = partOf(await relationships(members, ""), "officeDocument") ?? "xl/workbook.xml";
  const targets = new Map((await relationships(members, main)).map(({ id, target }) => [id, target]));
  const sheets: (string | undefined)[] = [];
  parseXml((await readMemberText(members, main)) ?? "<none/>", {
    open: (name, attributes) => void (name === "sheet" && sheets.push(targets.get(attributes["r:id"] ?? ""))),
    close() {},
    text() {},
  });
  const drawings: SheetDrawings[] = [];
  for (const sheet of sheets) {
    const part = sheet === undefined ? undefined : partOf(await relationships(members, sheet), "drawing");
    drawings.push(readDrawings((part === undefined ? undefined : await readMemberText(members, part)) ?? "<none/>"));
  }
  return drawings;
}

function readDrawings(xml: string): SheetDrawings {
  const found: SheetDrawings = { texts: [], pictures: 0 };
  let builder = markdownBuilder();
  let office = officeXmlHandler(builder);
  let [isFrom, number, row, column] = [false, "", 0, 0];
  parseXml(xml, {
    open(name, attributes) {
      if (name.endsWith("Anchor")) [row, column] = [0, 0];
      if (name === "from") isFrom = true;
      if (name === "row" || name === "col") number = "";
      if (name === "pic") found.pictures++;
      if (name === "sp") {
        builder = markdownBuilder();
        office = officeXmlHandler(builder);
      }
      office.open(name, attributes);
    },
    close(name) {
      if (name === "from") isFrom = false;
      if (isFrom && name === "row") row = Number.parseInt(number, 10) || 0;
      if (isFrom && name === "col") column = Number.parseInt(number, 10) || 0;
      office.close(name);
      const text = name === "sp" ? builder.toString() : "";
      if (text !== "") found.texts.push({ row, column, text: `Text box: ${text}` });
    },
    text(text) {
      if (isFrom) number += text;
      office.text(text);
    },
  });
  return found;
}

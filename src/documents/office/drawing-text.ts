import { chartText } from "./chart.ts";
import type { Ledger } from "../ledger.ts";
import { markdownBuilder } from "../markdown.ts";
import { officeXmlHandler } from "./office-text.ts";
import type { Relationship } from "./relationships.ts";
import { parseXml } from "./xml.ts";
import { readMemberText, type ZipMember } from "../zip/zip-archive.ts";

/** The texts of the charts and diagrams that a part of an Office document refers to, by relationship. */
export async function drawingTexts(
  members: ZipMember[],
  relations: Relationship[],
  ledger: Ledger,
): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const { id, type, target } of relations) {
    if (/\/chart(Ex)?$/.test(type)) texts.set(id, await chartOf(members, target, ledger));
    if (type.endsWith("/diagramData")) texts.set(id, await diagramOf(members, target, ledger));
  }
  return texts;
}

/** A chart, or that it was not read: a damaged one does not make the document unreadable. */
async function chartOf(members: ZipMember[], path: string, ledger: Ledger): Promise<string> {
  const xml = await readMemberText(members, path);
  try {
    // `chartEx`: kinds since Office 2016, such as waterfall charts, have another format.
    if (xml !== undefined && !path.includes("chartEx")) return chartText(xml, ledger);
  } catch {
    // Said below.
  }
  ledger.leaveOut("chart");
  return "[Chart, not read]";
}

/** The texts of a diagram (SmartArt), in the order of its data. */
async function diagramOf(members: ZipMember[], path: string, ledger: Ledger): Promise<string> {
  const builder = markdownBuilder();
  const xml = await readMemberText(members, path);
  try {
    if (xml !== undefined)
      parseXml(
        xml,
        officeXmlHandler(builder, () => ({ prefix: "- " })),
      );
    return `[Diagram]\n${builder.toString()}`.trimEnd();
  } catch {
    ledger.leaveOut("diagram");
    return "[Diagram, not read]";
  }
}

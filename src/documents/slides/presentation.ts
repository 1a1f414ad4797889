import { drawingTexts } from "../office/drawing-text.ts";
import type { Ledger } from "../ledger.ts";
import { selectedNumbers } from "../parts.ts";
import { partOf, type Relationship, relationships } from "../office/relationships.ts";
import { placeholderPlaces, SlideReader } from "./slide-reader.ts";
import { parseXml } from "../office/xml.ts";
import { readMemberText, type ZipMember } from "../zip/zip-archive.ts";

/**
 * The slides of a PPTX presentation, in the order in which they are shown, with their notes. The texts of a slide are in the
 * order of their places. `part`: numbers of slides.
 */
export async function presentationText(
  members: ZipMember[],
  part: string | undefined,
  ledger: Ledger,
): Promise<string> {
  const main = partOf(await relationships(members, ""), "officeDocument") ?? "ppt/presentation.xml";
  const targets = new Map((await relationships(members, main)).map(({ id, target }) => [id, target]));
  const slides: string[] = [];
  parseXml((await readMemberText(members, main)) ?? "", {
    open(name, attributes) {
      const target = targets.get(attributes["r:id"] ?? "");
      if (name === "sldId" && target !== undefined) slides.push(target);
    },
    close() {},
    text() {},
  });
  const texts: string[] = [];
  for (const number of selectedNumbers(part, "slide", slides.length)) {
    const slide = slides[number - 1] ?? "";
    const related = await relationships(members, slide);
    const { text, charts, isHidden } = await slideText(members, slide, related, ledger);
    texts.push(`[Slide ${number} of ${slides.length}${isHidden ? ", hidden" : ""}]\n${text}`.trimEnd(), ...charts);
    const comments = partOf(related, "comments");
    if (comments !== undefined) ledger.leaveOut("comment", await countComments(members, comments));
    const notes = partOf(related, "notesSlide");
    const note = notes === undefined ? "" : await noteText(members, notes, ledger);
    if (note !== "") texts.push(`[Notes of slide ${number}]\n${note}`);
  }
  return texts.join("\n\n");
}

async function slideText(members: ZipMember[], path: string, related: Relationship[], ledger: Ledger) {
  const layout = partOf(related, "slideLayout");
  const master = layout === undefined ? undefined : partOf(await relationships(members, layout), "slideMaster");
  const places = [layout, master].map(async (each) =>
    placeholderPlaces((each === undefined ? undefined : await readMemberText(members, each)) ?? "<none/>"),
  );
  const drawings = await drawingTexts(members, related, ledger);
  const reader = new SlideReader({ places: await Promise.all(places), drawings, ledger, isNotes: false });
  parseXml((await readMemberText(members, path)) ?? "", reader);
  // Diagrams are among the texts, charts follow them.
  return { text: reader.toString(), charts: drawings.values(), isHidden: reader.isHidden };
}

async function countComments(members: ZipMember[], path: string): Promise<number> {
  let count = 0;
  parseXml((await readMemberText(members, path)) ?? "<none/>", {
    open: (name) => void (name === "cm" && count++),
    close() {},
    text() {},
  });
  return count;
}

async function noteText(members: ZipMember[], path: string, ledger: Ledger): Promise<string> {
  const reader = new SlideReader({ places: [], drawings: new Map(), ledger, isNotes: true });
  parseXml((await readMemberText(members, path)) ?? "", reader);
  return reader.toString();
}

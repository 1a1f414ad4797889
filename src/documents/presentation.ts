import { posix } from "node:path";
import { chartText } from "./chart.ts";
import { markdownBuilder } from "./markdown.ts";
import { officeXmlHandler } from "./office-text.ts";
import { selectedNumbers } from "./parts.ts";
import { parseXml } from "./xml.ts";
import { readText, type ZipMember } from "./zip-archive.ts";

/** The slides of a PPTX presentation, in the order in which they are shown, with their notes. `part`: numbers of slides. */
export async function presentationText(members: ZipMember[], part?: string): Promise<string> {
  const main = "ppt/presentation.xml";
  const targets = new Map((await relationships(members, main)).map(({ id, target }) => [id, target]));
  const slides: string[] = [];
  parseXml((await readText(members, main)) ?? "", {
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
    const { text, isHidden } = await slideText(members, slide);
    texts.push(`[Slide ${number} of ${slides.length}${isHidden ? ", hidden" : ""}]\n${text}`.trimEnd());
    const related = await relationships(members, slide);
    for (const { type, target } of related) {
      if (/\/chart(Ex)?$/.test(type)) texts.push(await chartOf(members, target));
    }
    const notes = related.find(({ type }) => type.endsWith("/notesSlide"));
    const { text: note } = notes ? await slideText(members, notes.target, true) : { text: "" };
    if (note !== "") texts.push(`[Notes of slide ${number}]\n${note}`);
  }
  return texts.join("\n\n");
}

/** A chart, or that it was not read: a damaged one does not make the slides unreadable. */
async function chartOf(members: ZipMember[], path: string): Promise<string> {
  const xml = await readText(members, path);
  try {
    // `chartEx`: kinds since Office 2016, such as waterfall charts, have another format.
    if (xml !== undefined && !path.includes("chartEx")) return chartText(xml);
  } catch {
    // Said below.
  }
  return "[Chart, not read]";
}

/** The text of the shapes of a slide, or of its page of notes. */
async function slideText(members: ZipMember[], path: string, isNotes = false) {
  const builder = markdownBuilder();
  /** The type of the placeholder, empty for other shapes. */
  let type = "";
  let [level, isHidden, fallbacks] = [0, false, 0];
  const isKept = () => fallbacks === 0 && (isNotes ? type === "body" : type !== "sldNum" && type !== "dt");
  const prefix = () => {
    if (isNotes) return "";
    if (type === "title" || type === "ctrTitle") return "# ";
    return type === "body" || type === "obj" ? `${"  ".repeat(level)}- ` : "";
  };
  const office = officeXmlHandler(builder, prefix);
  parseXml((await readText(members, path)) ?? "", {
    open(name, attributes) {
      if (name === "Fallback") fallbacks++; // the same content for older software
      if (name === "sld") isHidden = attributes["show"] === "0";
      if (name === "sp" || name === "graphicFrame") type = "";
      if (name === "ph") type = attributes["type"] ?? "obj";
      if (name === "p") level = 0;
      if (name === "pPr") level = Math.min(Number(attributes["lvl"] ?? 0) || 0, 8);
      if (isKept()) office.open(name);
    },
    close(name) {
      if (name === "Fallback") fallbacks--;
      else if (isKept()) office.close(name);
    },
    text(text) {
      if (isKept()) office.text(text);
    },
  });
  return { text: builder.toString(), isHidden };
}

/** The relationships of a part, with the paths of their targets in the archive. */
async function relationships(members: ZipMember[], path: string) {
  const { dir, base } = posix.parse(path);
  const found: { id: string; type: string; target: string }[] = [];
  const xml = await readText(members, `${dir}/_rels/${base}.rels`);
  if (xml === undefined) return found;
  parseXml(xml, {
    open(name, { Id: id = "", Type: type = "", Target: target = "" }) {
      const resolved = target.startsWith("/") ? target.slice(1) : posix.join(dir, target);
      if (name === "Relationship") found.push({ id, type, target: resolved });
    },
    close() {},
    text() {},
  });
  return found;
}

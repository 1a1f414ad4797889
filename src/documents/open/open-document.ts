import { openContentReader } from "./open-content.ts";
import { mathBuilder } from "../office/equation.ts";
import type { Ledger } from "../ledger.ts";
import { readOpenStyles } from "./open-styles.ts";
import { selectedNumbers } from "../parts.ts";
import { parseXml } from "../office/xml.ts";
import { readMemberText, type ZipMember } from "../zip/zip-archive.ts";

/** The text of an ODT document as Markdown, between the texts of its headers and footers. */
export async function openDocumentText(members: ZipMember[], ledger: Ledger): Promise<string> {
  const { pages, margins } = await readPages(members, ledger);
  const [{ text } = { text: "" }] = pages;
  return [...margins("header"), text, ...margins("footer")].filter((each) => each !== "").join("\n\n");
}

/** The slides of an ODP presentation with their notes. `part`: numbers of slides. */
export async function openPresentationText(
  members: ZipMember[],
  part: string | undefined,
  ledger: Ledger,
): Promise<string> {
  const [, ...slides] = (await readPages(members, ledger)).pages;
  return selectedNumbers(part, "slide", slides.length)
    .map((number) => {
      const { text, isHidden } = slides[number - 1] ?? { text: "", isHidden: false };
      return `[Slide ${number} of ${slides.length}${isHidden ? ", hidden" : ""}]\n${text}`.trimEnd();
    })
    .join("\n\n");
}

/** The text before the first page, which is all of an ODT document, and that of each page. */
async function readPages(members: ZipMember[], ledger: Ledger) {
  const stylesXml = await readMemberText(members, "styles.xml");
  const content = await readMemberText(members, "content.xml");
  if (content === undefined) throw new Error("it has no content.xml");
  const styles = readOpenStyles([...(stylesXml === undefined ? [] : [stylesXml]), content]);
  const objects = await objectTexts(members);
  const reader = openContentReader(styles, objects, ledger);
  parseXml(content, reader);
  const pages = reader.pages.map(({ text, notes, isHidden }) => {
    const note = notes.toString();
    return { text: text.toString() + (note === "" ? "" : `\n\n[Notes]\n${note}`), isHidden };
  });
  const margins = (name: "header" | "footer") => {
    const of = openContentReader(styles, objects, ledger, new RegExp(`^${name}(?:-left|-first)?$`));
    if (stylesXml !== undefined) parseXml(stylesXml, of);
    // Styles of pages often have equal ones.
    const lines = new Set(of.pages[0]?.text.toString().split("\n"));
    const text = [...lines].join("\n");
    return text === "" ? [] : [`[${name === "header" ? "Header" : "Footer"}]\n${text}`];
  };
  return { pages, margins };
}

/** Texts of equations in a document by the folders of their objects. Empty: a chart, or another object. */
async function objectTexts(members: ZipMember[]): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const { name } of members) {
    const [, folder] = /^(.+)\/content\.xml$/.exec(name) ?? [];
    if (folder === undefined) continue;
    const xml = (await readMemberText(members, name)) ?? "";
    const isMath = /<(?:\w+:)?math[\s>]/.test(xml.slice(0, 1_000));
    texts.set(folder, isMath ? equationOf(xml) : "");
  }
  return texts;
}

function equationOf(xml: string): string {
  const builder = mathBuilder("math");
  try {
    parseXml(xml, builder);
    return builder.toString();
  } catch {
    return ""; // a damaged equation does not make the document unreadable
  }
}

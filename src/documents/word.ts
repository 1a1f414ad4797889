import mammoth from "mammoth";
import { htmlToMarkdown } from "./html.ts";
import { markdownBuilder } from "./markdown.ts";
import { officeXmlHandler } from "./office-text.ts";
import { wordReview } from "./word-review.ts";
import { parseXml } from "./xml.ts";
import { readText, type ZipMember } from "./zip-archive.ts";

/**
 * The text of a DOCX document as Markdown, between the texts of its headers and footers, with tracked changes accepted and named, and
 * its comments. Images are left out.
 */
export async function wordText(members: ZipMember[], bytes: Uint8Array): Promise<string> {
  const { value } = await mammoth.convertToHtml(
    { buffer: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) },
    {
      convertImage: mammoth.images.imgElement(async () => ({ src: "" })),
      styleMap: ["p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => h2:fresh"],
    },
  );
  const headers = await marginTexts(members, "Header", /^word\/header\d*\.xml$/);
  const footers = await marginTexts(members, "Footer", /^word\/footer\d*\.xml$/);
  const { changes, comments } = await wordReview(members);
  return [changes, ...headers, htmlToMarkdown(value), ...footers, comments].filter((text) => text !== "").join("\n\n");
}

/** The texts of all headers or footers. Sections often have equal ones. */
async function marginTexts(members: ZipMember[], label: string, pattern: RegExp): Promise<string[]> {
  const texts = new Set<string>();
  for (const { name } of members) {
    if (!pattern.test(name)) continue;
    const builder = markdownBuilder();
    parseXml((await readText(members, name)) ?? "", officeXmlHandler(builder));
    if (builder.toString() !== "") texts.add(`[${label}]\n${builder.toString()}`);
  }
  return [...texts];
}

import { markdownBuilder } from "../markdown.ts";
import { officeXmlHandler } from "../office/office-text.ts";
import { parseXml } from "../office/xml.ts";
import { readMemberText, type ZipMember } from "../zip/zip-archive.ts";

/** What reviewers left in a Word document: a note about tracked changes, and the comments. Empty texts: none. */
export async function wordReview(members: ZipMember[]): Promise<{ changes: string; comments: string }> {
  let changes = 0;
  for (const xml of await partsOf(members, /^word\/(document|header|footer)\d*\.xml$/)) changes += trackedChanges(xml);
  const comments = (await partsOf(members, /^word\/comments\d*\.xml$/)).flatMap(commentsIn);
  const count = changes === 1 ? "1 tracked change" : `${changes} tracked changes`;
  return {
    changes: changes === 0 ? "" : `[${count}: shown as accepted, without the deleted texts.]`,
    comments: comments.length === 0 ? "" : `[Comments]\n${comments.join("\n")}`,
  };
}

async function partsOf(members: ZipMember[], pattern: RegExp): Promise<string[]> {
  const names = members.map(({ name }) => name).filter((name) => pattern.test(name));
  return (await Promise.all(names.map((name) => readMemberText(members, name)))).filter((xml) => xml !== undefined);
}

/** Insertions, deletions and moves, of texts, paragraph marks and table rows. A change of a long text can have several. */
function trackedChanges(xml: string): number {
  let found = 0;
  const counted = new Set(["ins", "del", "moveTo"]); // moveFrom is the other end of a moveTo
  parseXml(xml, { open: (name) => void (counted.has(name) && found++), close: () => {}, text: () => {} });
  return found;
}

/** The comments as lines: author, and text. */
function commentsIn(xml: string): string[] {
  const comments: string[] = [];
  let [author, builder] = ["", markdownBuilder()];
  let handler = officeXmlHandler(builder);
  parseXml(xml, {
    open(name, attributes) {
      if (name !== "comment") return handler.open(name, attributes);
      author = Object.entries(attributes).find(([key]) => key.endsWith(":author"))?.[1] ?? "";
      builder = markdownBuilder();
      handler = officeXmlHandler(builder);
    },
    close(name) {
      if (name !== "comment") return handler.close(name);
      comments.push(`${author || "Unknown"}: ${builder.toString().replaceAll(/\s*\n\s*/g, " ")}`);
    },
    text: (text) => handler.text(text),
  });
  return comments;
}

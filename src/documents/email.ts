import PostalMime, { type Address, type Attachment, type Email } from "postal-mime";
import { htmlToMarkdown } from "./html/html.ts";
import { type Ledger, openLedger } from "./ledger.ts";
import { type ContainedFile, escapeInvisible, uniqueNames } from "./parts.ts";
import { ownValue } from "./office/own-value.ts";

const maxListedAttachments = 1_000;

/**
 * The headers and the text of an email, and the names of its attachments. HTML is shown when there is no plain text, or when
 * it says more. Forwarded messages and invitations are attachments. `isContained`: the email is in another file.
 */
export async function readEmail(
  bytes: Uint8Array,
  isContained: boolean,
  ledger: Ledger,
): Promise<{ text: string; attachments: ContainedFile[] }> {
  const email = await PostalMime.parse(bytes, { forceRfc822Attachments: true, maxNestingDepth: 50 });
  const names = uniqueNames(email.attachments.map(attachmentName));
  const attachments = email.attachments.map((attachment, index) => ({
    name: names[index] ?? "",
    size: contentBytes(attachment).length,
    read: async () => contentBytes(attachment),
  }));
  const listed = attachments.slice(0, maxListedAttachments).map(({ name, size }, index) => {
    const kind = email.attachments[index]?.mimeType === "text/calendar" ? ", calendar" : "";
    return `- ${name} (${size} bytes${kind})`;
  });
  const more = attachments.length - listed.length;
  if (more > 0) ledger.leaveOut("name of an attachment", more, "names of attachments");
  const how = isContained ? "can be read only after a program of run_python extracts the email" : "read one with part";
  const sections = [
    headerLines(email).join("\n"),
    listed.length > 0 ? `Attachments (${how}):\n${listed.join("\n")}` : "",
    ...bodies(email, ledger),
  ];
  // A file without headers is not an email, but it can contain text.
  const text = sections.filter((section) => section !== "").join("\n\n");
  return { text: text || new TextDecoder().decode(bytes).trim(), attachments };
}

/** The text, and the HTML if it says more. Programs write the same in both, people and forgers do not. */
function bodies({ text = "", html }: Email, ledger: Ledger): string[] {
  const plain = text.trim().replaceAll("\r\n", "\n");
  if (html === undefined) return [plain];
  const ofHtml = openLedger();
  const markdown = htmlToMarkdown(html, ofHtml);
  const isShown = plain === "" || saysMore(markdown, plain);
  if (isShown) for (const note of ofHtml.notes()) ledger.say(note);
  else ledger.say("The HTML part has the same words as the text part, and is not shown.");
  return isShown && plain !== ""
    ? [`[Text part]\n${plain}`, `[HTML part, which says more]\n${markdown}`]
    : [plain || markdown];
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/**
 * Whether HTML has other words than the text, in their order, or marks some as struck out or hidden. Addresses of links are no
 * words of it. The text may have more.
 */
function saysMore(markdown: string, text: string): boolean {
  if (/~~|\[hidden: /.test(markdown)) return true;
  const shown = markdown.replaceAll(/!\[[^\]\n]*\]\([^)\n]*\)|\]\([^)\n]*\)|<\/?(?:br|su[bp])>/g, " ");
  const ofText = wordsOf(text);
  let at = 0;
  return wordsOf(shown).some((word) => {
    at = ofText.indexOf(word, at) + 1;
    return at === 0;
  });
}

function headerLines({ from, to, cc, replyTo, headers, subject }: Email): string[] {
  // As it was sent: the same moment is another day in another zone.
  const date = headers.find(({ key }) => key === "date")?.value;
  const lines: [string, string | undefined][] = [
    ["From", from && addressText(from)],
    ["Reply-To", replyTo?.map(addressText).join(", ")],
    ["To", to?.map(addressText).join(", ")],
    ["Cc", cc?.map(addressText).join(", ")],
    ["Date", date],
    ["Subject", subject],
  ];
  return lines.flatMap(([name, value]) => (value ? `${name}: ${value.replaceAll(/\s+/g, " ")}` : []));
}

function addressText({ name, address, group }: Address): string {
  if (group) return `${name}: ${group.map(addressText).join(", ")};`;
  return name && address ? `${name} <${address}>` : name || (address ?? "");
}

/** Of attachments without a name. */
const endings: Record<string, string> = {
  "message/rfc822": ".eml",
  "text/calendar": ".ics",
  "text/html": ".html",
  "application/pdf": ".pdf",
};

function attachmentName({ filename, mimeType }: Attachment, index: number): string {
  if (filename) return escapeInvisible(filename);
  return `attachment-${index + 1}${ownValue(endings, mimeType) ?? ""}`;
}

function contentBytes({ content }: Attachment): Uint8Array {
  return typeof content === "string" ? new TextEncoder().encode(content) : new Uint8Array(content);
}

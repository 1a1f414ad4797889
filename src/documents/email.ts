import PostalMime, { type Address, type Attachment, type Email } from "postal-mime";
import { htmlToMarkdown } from "./html.ts";
import { type ContainedFile, escapeInvisible, uniqueNames } from "./parts.ts";

const maxListedAttachments = 1_000;

/**
 * The headers and the text of an email, and the names of its attachments. HTML is used when there is no plain text.
 * Forwarded messages are attachments. `isContained`: the email is in another file.
 */
export async function readEmail(
  bytes: Uint8Array,
  isContained: boolean,
): Promise<{ text: string; attachments: ContainedFile[] }> {
  const email = await PostalMime.parse(bytes, { forceRfc822Attachments: true, maxNestingDepth: 50 });
  const names = uniqueNames(email.attachments.map(attachmentName));
  const attachments = email.attachments.map((attachment, index) => ({
    name: names[index] ?? "",
    size: contentBytes(attachment).length,
    read: async () => contentBytes(attachment),
  }));
  const listed = attachments.slice(0, maxListedAttachments).map(({ name, size }) => `- ${name} (${size} bytes)`);
  const how = isContained ? "can be read only after a program of run_python extracts the email" : "read one with part";
  const body = email.text?.trim() || (email.html === undefined ? "" : htmlToMarkdown(email.html));
  const sections = [
    headerLines(email).join("\n"),
    listed.length > 0 ? `Attachments (${how}):\n${listed.join("\n")}` : "",
    body.replaceAll("\r\n", "\n"),
  ];
  // A file without headers is not an email, but it can contain text.
  const text = sections.filter((section) => section !== "").join("\n\n");
  return { text: text || new TextDecoder().decode(bytes).trim(), attachments };
}

function headerLines({ from, to, cc, replyTo, date, subject }: Email): string[] {
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

function attachmentName({ filename, mimeType }: Attachment, index: number): string {
  if (filename) return escapeInvisible(filename);
  return `attachment-${index + 1}${mimeType === "message/rfc822" ? ".eml" : ""}`;
}

function contentBytes({ content }: Attachment): Uint8Array {
  return typeof content === "string" ? new TextEncoder().encode(content) : new Uint8Array(content);
}

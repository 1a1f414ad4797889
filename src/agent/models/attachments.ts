import { type AttachmentKind, attachmentKind, attachmentProblem } from "../attachment-limits.ts";
import type { Attachment, ImageLimit, Message, ModelRequest } from "../model.ts";
import { imageProblem } from "./image-limit.ts";

/** Bytes of all attachments of one request. Encoded as base64 they stay below Bedrock's request limit of 20 MB. */
const maxTotalBytes = 14_000_000;

/** Pages of all PDFs of one request whose pages are known: Anthropic's limit for models with 200,000 tokens. */
const maxTotalPages = 100;

/** The bytes of an attachment, or a clause that says why the model does not see them. */
export type AttachmentContent = Uint8Array | string;

/**
 * Loads the attachments of a conversation, newest first, up to the limits of one request. Attachments over the count
 * limit of their kind are not read. Without `readAttachment`, every attachment is replaced by a sentence. `imageLimit`: of the
 * model server.
 */
export async function loadAttachments(
  messages: Message[],
  readAttachment: ModelRequest["readAttachment"],
  imageLimit?: ImageLimit,
): Promise<Map<Attachment, AttachmentContent>> {
  const counts = new Map<AttachmentKind | undefined, number>();
  const newest = messages.flatMap(attachmentsOf).toReversed();
  const contents = await Promise.all(
    newest.map(async (attachment): Promise<AttachmentContent> => {
      if (!readAttachment) return attachmentsUnsupported;
      const kind = attachmentKind(attachment.mediaType);
      const count = (counts.get(kind) ?? 0) + 1;
      counts.set(kind, count);
      return kind && count > kind.maxCount ? displaced : loadContent(attachment, readAttachment, imageLimit);
    }),
  );
  const loaded = new Map<Attachment, AttachmentContent>();
  let [totalBytes, totalPages] = [0, 0];
  for (const [index, attachment] of newest.entries()) {
    const content = contents[index] ?? displaced;
    const bytes = typeof content === "string" ? 0 : content.length;
    const pages = typeof content === "string" ? 0 : (attachment.pages ?? 0);
    const fits = totalBytes + bytes <= maxTotalBytes && totalPages + pages <= maxTotalPages;
    if (fits) [totalBytes, totalPages] = [totalBytes + bytes, totalPages + pages];
    loaded.set(attachment, fits ? content : displaced);
  }
  return loaded;
}

const displaced = "only newer files fit into the request";
export const attachmentsUnsupported = "this model does not accept files";

/** The attachments of one message, in order. */
export function attachmentsOf(message: Message): Attachment[] {
  if (message.role === "user") return message.attachments ?? [];
  return message.role === "tool" ? message.results.flatMap((result) => result.attachments ?? []) : [];
}

async function loadContent(
  attachment: Attachment,
  readAttachment: NonNullable<ModelRequest["readAttachment"]>,
  imageLimit: ImageLimit | undefined,
): Promise<AttachmentContent> {
  const { mediaType } = attachment;
  const bytes = attachmentKind(mediaType) ? await readAttachment(attachment) : new Uint8Array();
  if (!bytes) return "it is no longer in the workspace";
  return attachmentProblem(mediaType, bytes.length) ?? (imageLimit && imageProblem(bytes, imageLimit)) ?? bytes;
}

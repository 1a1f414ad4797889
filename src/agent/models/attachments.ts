import { type AttachmentKind, attachmentKind, notShown } from "./attachment-limits.ts";
import type { Attachment, Message, ModelRequest } from "../model.ts";

/** Bytes of all parts of one request: as base64 they stay below the 20 MB that Bedrock takes for one. */
const maxBytesTogether = 14_000_000;

/** What the model sees of an attachment: its bytes, or a sentence that says why it does not see them. */
export type Shown = Uint8Array | string;

/**
 * What the model is to see of each attachment of a conversation. The newest come first when there are more than a
 * request takes; those beyond the number of their kind are not even read. `blind`: the model takes no files at all.
 */
export async function showAttachments(
  messages: Message[],
  readAttachment: ModelRequest["readAttachment"],
  blind: boolean,
): Promise<Map<Attachment, Shown>> {
  const shown = new Map<Attachment, Shown>();
  const counts = new Map<AttachmentKind | undefined, number>();
  const newest = messages.flatMap(attachmentsOf).toReversed();
  const contents = await Promise.all(
    newest.map(async (attachment): Promise<Shown> => {
      if (blind || !readAttachment) return notForThisModel;
      const kind = attachmentKind(attachment.mediaType);
      const count = (counts.get(kind) ?? 0) + 1;
      counts.set(kind, count);
      return kind && count > kind.maxCount ? displaced : contentOf(attachment, readAttachment);
    }),
  );
  let together = 0;
  for (const [index, attachment] of newest.entries()) {
    const content = contents[index] ?? displaced;
    const bytes = typeof content === "string" ? 0 : content.length;
    const fits = together + bytes <= maxBytesTogether;
    if (fits) together += bytes;
    shown.set(attachment, fits ? content : displaced);
  }
  return shown;
}

const displaced = "newer files have taken its place";
/** In place of every file where the model takes none. */
export const notForThisModel = "this model can't be shown files";

/** The attachments of one message, in order. */
export function attachmentsOf(message: Message): Attachment[] {
  if (message.role === "user") return message.attachments ?? [];
  return message.role === "tool" ? message.results.flatMap((result) => result.attachments ?? []) : [];
}

async function contentOf(
  { name, mediaType }: Attachment,
  readAttachment: NonNullable<ModelRequest["readAttachment"]>,
): Promise<Shown> {
  const bytes = attachmentKind(mediaType) ? await readAttachment(name) : new Uint8Array();
  if (!bytes) return "it is no longer in the workspace";
  return notShown(mediaType, bytes.length) ?? bytes;
}

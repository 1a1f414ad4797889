import type { Attachment, Message, ModelRequest } from "../model.ts";

/** What the wires of all providers take as input parts, with the most bytes of one: those of Bedrock, the smallest. */
const kinds = [
  { types: /^image\/(png|jpeg|gif|webp)$/, name: "images", mostBytes: 3_750_000, most: 20 },
  { types: /^application\/pdf$/, name: "PDFs", mostBytes: 4_500_000, most: 5 },
];

/** Bytes of all parts of one request: as base64 they stay below the 20 MB that Bedrock takes for one. */
const mostBytesTogether = 14_000_000;

/** What the model sees of an attachment: its bytes, or a sentence that says why it does not see them. */
export type Shown = Uint8Array | string;

/**
 * What the model is to see of each attachment of a conversation. The newest come first when there are more than a
 * request takes. `blind`: the model takes no files at all.
 */
export async function showAttachments(
  messages: Message[],
  readAttachment: ModelRequest["readAttachment"],
  blind: boolean,
): Promise<Map<Attachment, Shown>> {
  const attachments = messages.flatMap(attachmentsOf);
  const read = await Promise.all(
    attachments.map(async (attachment): Promise<Shown> => {
      const kind = kindOf(attachment);
      if (blind || !readAttachment) return "this model can't be shown files";
      if (!kind) return "only images (PNG, JPEG, GIF, WebP) and PDFs can be shown";
      const bytes = await readAttachment(attachment.name);
      if (!bytes) return "it is no longer in the workspace";
      if (bytes.length <= kind.mostBytes) return bytes;
      return `it has ${bytes.length} bytes, and ${kind.name} can be shown up to ${kind.mostBytes} bytes`;
    }),
  );
  const counts = kinds.map(() => 0);
  let together = 0;
  const shown = new Map<Attachment, Shown>();
  for (const [index, attachment] of [...attachments.entries()].toReversed()) {
    const content = read[index] ?? "";
    const kind = kinds.findIndex(({ types }) => types.test(attachment.mediaType));
    if (typeof content === "string") {
      shown.set(attachment, content);
      continue;
    }
    const count = (counts[kind] ?? 0) + 1;
    const fits = count <= (kinds[kind]?.most ?? 0) && together + content.length <= mostBytesTogether;
    shown.set(attachment, fits ? content : "newer files have taken its place");
    if (!fits) continue;
    counts[kind] = count;
    together += content.length;
  }
  return shown;
}

/** The attachments of one message, in order. */
export function attachmentsOf(message: Message): Attachment[] {
  if (message.role === "user") return message.attachments ?? [];
  return message.role === "tool" ? message.results.flatMap((result) => result.attachments ?? []) : [];
}

function kindOf({ mediaType }: Attachment) {
  return kinds.find(({ types }) => types.test(mediaType));
}

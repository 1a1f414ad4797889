/** Files that a model can be shown, with what the wires of all providers take: the limits are Bedrock's, the smallest. */
export interface AttachmentKind {
  types: RegExp;
  name: string;
  /** Bytes of one. */
  maxBytes: number;
  /** Of one request. */
  maxCount: number;
}

const kinds: AttachmentKind[] = [
  { types: /^image\/(png|jpeg|gif|webp)$/, name: "images", maxBytes: 3_750_000, maxCount: 20 },
  { types: /^application\/pdf$/, name: "PDFs", maxBytes: 4_500_000, maxCount: 5 },
];

/** The kind that a media type belongs to; undefined when no model is shown such files. */
export function attachmentKind(mediaType: string): AttachmentKind | undefined {
  return kinds.find(({ types }) => types.test(mediaType));
}

/** Why a file of that type and size can't be shown, as the end of a sentence; undefined when it can. */
export function notShown(mediaType: string, bytes: number): string | undefined {
  const kind = attachmentKind(mediaType);
  if (!kind) return "only images (PNG, JPEG, GIF, WebP) and PDFs can be shown";
  if (bytes <= kind.maxBytes) return undefined;
  return `it has ${bytes} bytes, and ${kind.name} can be shown up to ${kind.maxBytes} bytes`;
}

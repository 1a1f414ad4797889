/** A kind of file that models accept. The limits are those of Amazon Bedrock, the smallest of all providers. */
export interface AttachmentKind {
  types: RegExp;
  name: string;
  /** Bytes of one file. */
  maxBytes: number;
  /** Files in one request. */
  maxCount: number;
}

const attachmentKinds: AttachmentKind[] = [
  { types: /^image\/(png|jpeg|gif|webp)$/, name: "images", maxBytes: 3_750_000, maxCount: 20 },
  { types: /^application\/pdf$/, name: "PDFs", maxBytes: 4_500_000, maxCount: 5 },
];

/** Undefined for media types that no model accepts. */
export function attachmentKind(mediaType: string): AttachmentKind | undefined {
  return attachmentKinds.find(({ types }) => types.test(mediaType));
}

/** Why a file cannot be shown to a model, as a clause; undefined when it can. */
export function attachmentProblem(mediaType: string, bytes: number): string | undefined {
  const kind = attachmentKind(mediaType);
  if (!kind) return "only images (PNG, JPEG, GIF, WebP) and PDFs can be shown";
  if (bytes <= kind.maxBytes) return undefined;
  return `it has ${bytes} bytes, and ${kind.name} can be shown up to ${kind.maxBytes} bytes`;
}

import type { Failure, ImageLimit } from "../model.ts";
import { imageSize } from "./image-size.ts";

/** A provider refuses a picture for its size. Anthropic: "image dimensions exceed max allowed size: 8000 pixels". */
const refusedSize = /image.{0,80}(dimension|pixel|too.?(large|big)|exceed)/i;
const namesSides = /dimension|pixel/i;
/** A side, not the pixels of an area. */
const largestSide = /(?<!\d)(\d{3,5}) ?(pixels|px)\b/i;

/**
 * The limit within which a request may succeed that was refused for the size of a picture: the longest side that the error
 * names, else one that leaves the largest picture out. Undefined: it was refused for another reason, or has no picture.
 */
export function lowerImageLimit(
  { title, category }: Failure,
  contents: Iterable<Uint8Array | string>,
): ImageLimit | undefined {
  if (category !== "model_refused" || !refusedSize.test(title)) return undefined;
  const shown = [...contents].flatMap((content) => (typeof content === "string" ? [] : [content]));
  const sides = shown.flatMap((bytes) => imageSize(bytes)?.longest ?? []);
  const longest = Math.max(0, ...sides);
  if (longest === 0) return undefined;
  const named = Number(largestSide.exec(title)?.[1] ?? NaN);
  if (named < longest) return { side: named };
  if (namesSides.test(title)) return { side: longest - 1 };
  const pictures = shown.filter((bytes) => imageSize(bytes));
  return { bytes: Math.max(...pictures.map(({ length }) => length)) - 1 };
}

/** Why a picture is named to the model in place of being shown, as a clause. Undefined: it is within the limit, or no picture. */
export function imageProblem(
  bytes: Uint8Array,
  { side = Infinity, bytes: most = Infinity }: ImageLimit,
): string | undefined {
  const size = imageSize(bytes);
  if (!size || (size.longest <= side && bytes.length <= most)) return undefined;
  const { width, height } = size;
  return `the model server refuses images of its size (${width} x ${height} pixels, ${bytes.length} bytes); a smaller copy can be shown`;
}

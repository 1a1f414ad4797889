/** Width and height of a picture in pixels. `longest`: the longer of the two. */
interface ImageSize {
  width: number;
  height: number;
  longest: number;
}

/** The size of a PNG, JPEG, GIF or WebP, from its first bytes. Undefined: it is none of them, or cut. */
export function imageSize(bytes: Uint8Array): ImageSize | undefined {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const read = data.length < 30 ? undefined : (png(data) ?? gif(data) ?? webp(data) ?? jpeg(data));
  if (!read) return undefined;
  const [width, height] = read;
  return { width, height, longest: Math.max(width, height) };
}

type Sides = readonly [width: number, height: number];

function png(data: Buffer): Sides | undefined {
  if (data.readUInt32BE(0) !== 0x89504e47) return undefined;
  return [data.readUInt32BE(16), data.readUInt32BE(20)];
}

function gif(data: Buffer): Sides | undefined {
  return data.toString("latin1", 0, 4) === "GIF8" ? [data.readUInt16LE(6), data.readUInt16LE(8)] : undefined;
}

/** The first chunk says which of three formats it is (RFC 9649). */
function webp(data: Buffer): Sides | undefined {
  if (data.toString("latin1", 8, 12) !== "WEBP") return undefined;
  switch (data.toString("latin1", 12, 16)) {
    case "VP8X":
      return [data.readUIntLE(24, 3) + 1, data.readUIntLE(27, 3) + 1];
    case "VP8L": {
      const bits = data.readUInt32LE(21);
      return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
    }
    default:
      return [data.readUInt16LE(26) & 0x3fff, data.readUInt16LE(28) & 0x3fff];
  }
}

/** The size is in the frame header, behind segments with a length each. */
function jpeg(data: Buffer): Sides | undefined {
  if (data.readUInt16BE(0) !== 0xffd8) return undefined;
  for (let at = 2; at + 9 <= data.length && data[at] === 0xff;) {
    const marker = data[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return [data.readUInt16BE(at + 7), data.readUInt16BE(at + 5)];
    at += marker === 0xff ? 1 : 2 + data.readUInt16BE(at + 2);
  }
  return undefined;
}

/** Fields of a header: pairs of width in bytes and value, little-endian. */
type Fields = [width: 2 | 4, value: number][];

/** 2.0: folders and compression are known to the reader. */
const version = 20;

/** The name is UTF-8. */
const utf8Flag = 0x0800;

/**
 * Several files as one ZIP archive, stored without compression, with the present time in the reader's time zone. For at most
 * 65,535 files and 4 GiB. In a module of its own: most readers never load it.
 * Source: APPNOTE.TXT 6.3.10, sections 4.3.7, 4.3.12, 4.3.16.
 */
export async function zipOf(files: { name: string; content: Blob }[], now: Date = new Date()): Promise<Blob> {
  const parts: (Blob | Uint8Array<ArrayBuffer>)[] = [];
  const directory: Uint8Array<ArrayBuffer>[] = [];
  let offset = 0;
  let directorySize = 0;
  for (const { name, content } of files) {
    const nameBytes = new TextEncoder().encode(name);
    const crc = crc32(new Uint8Array(await content.arrayBuffer()));
    const common: Fields = [
      [2, version],
      [2, utf8Flag],
      [2, 0], // stored
      [2, (now.getHours() << 11) | (now.getMinutes() << 5) | (now.getSeconds() >> 1)],
      [2, ((now.getFullYear() - 1980) << 9) | ((now.getMonth() + 1) << 5) | now.getDate()],
      [4, crc],
      [4, content.size], // compressed
      [4, content.size],
      [2, nameBytes.length],
      [2, 0], // extra field
    ];
    const local = bytesOf([[4, 0x04034b50], ...common]);
    // Comment, disk, internal and external attributes: none.
    const central = bytesOf([[4, 0x02014b50], [2, version], ...common, [2, 0], [2, 0], [2, 0], [4, 0], [4, offset]]);
    parts.push(local, nameBytes, content);
    directory.push(central, nameBytes);
    offset += local.length + nameBytes.length + content.size;
    directorySize += central.length + nameBytes.length;
  }
  const count = files.length;
  const end = bytesOf([
    [4, 0x06054b50],
    [4, 0],
    [2, count],
    [2, count],
    [4, directorySize],
    [4, offset],
    [2, 0],
  ]);
  return new Blob([...parts, ...directory, end], { type: "application/zip" });
}

function bytesOf(fields: Fields): Uint8Array<ArrayBuffer> {
  return new Uint8Array(
    fields.flatMap(([width, value]) => Array.from({ length: width }, (_, index) => (value >>> (8 * index)) & 0xff)),
  );
}

/** The CRC-32 of ZIP and PNG, as an unsigned number. */
function crc32(bytes: Uint8Array): number {
  let crc = ~0;
  for (const byte of bytes) crc = (crc >>> 8) ^ (crcTable[(crc ^ byte) & 0xff] ?? 0);
  return ~crc >>> 0;
}

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

/** Pictures that models are not shown, and what reads them. */
const kinds: { binary: string; reader: string; matches: (bytes: Buffer) => boolean }[] = [
  {
    binary: "a TIFF image, which can have several pages",
    reader:
      "In a Linux environment, run_python reads it with Pillow, and can save each page as PNG, which read_file shows.",
    matches: (bytes) => /^(?:II[*+]\0|MM\0[*+])/.test(bytes.toString("latin1", 0, 4)),
  },
  {
    binary: "a BMP image",
    reader: "In a Linux environment, run_python reads it with Pillow, and can save it as PNG, which read_file shows.",
    // A text can begin with BM. The four bytes after the size are zero.
    matches: (bytes) => bytes.length > 26 && bytes.toString("latin1", 0, 2) === "BM" && bytes.readUInt32LE(6) === 0,
  },
  {
    binary: "a HEIC image",
    reader: "No tool here reads it. The owner can save it as JPEG or PNG.",
    matches: (bytes) => /^ftyp(?:hei[cmsx]|hev[cmx]|mif1|msf1)/.test(bytes.toString("latin1", 4, 12)),
  },
  {
    binary: "an AVIF image",
    reader: "The owner can save it as JPEG or PNG.",
    matches: (bytes) => /^ftypavi[fs]/.test(bytes.toString("latin1", 4, 12)),
  },
];

/** What a picture is that models are not shown, such as a scan in TIFF. Undefined for another file. */
export function otherPicture(file: Uint8Array): { binary: string; reader: string } | undefined {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const found = kinds.find(({ matches }) => matches(bytes));
  return found && { binary: found.binary, reader: found.reader };
}

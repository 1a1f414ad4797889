/** Formats in compound files by the beginning of the name of one of their streams, and what reads them. */
const formats: [name: string, binary: string, reader: string][] = [
  [
    "__",
    "an Outlook message (MSG)",
    "In a Linux environment, run_python reads its streams with olefile: the subject is __substg1.0_0037001F and the text " +
      "__substg1.0_1000001F, in UTF-16LE.",
  ],
  ["EncryptedPackage", "an Office document with a password", "The owner can save it without one."],
  ["EncryptionInfo", "an Office document with a password", "The owner can save it without one."],
  ["WordDocument", "an old Word document (DOC)", "The owner can save it as DOCX."],
  ["PowerPoint Document", "an old presentation (PPT)", "The owner can save it as PPTX."],
  [
    "Workbook",
    "an old workbook (XLS)",
    'In a Linux environment, run_python reads it with pandas.read_excel(…, engine="calamine").',
  ],
  ["Book", "an old workbook (XLS)", "The owner can save it as XLSX."],
];

const other = {
  binary: "an old Office document (DOC, XLS, PPT, MSG) or one with a password",
  reader: "The owner can save it as DOCX, XLSX, PPTX or EML, without a password.",
};

/** Bytes of an entry of the directory. */
const entryBytes = 128;

/**
 * What a compound file is, which the formats before 2007 are. Reads the first sector of its directory, where the streams are
 * that programs write first. https://learn.microsoft.com/openspecs/windows_protocols/ms-cfb
 */
export function oldOfficeFile(bytes: Uint8Array): { binary: string; reader: string } {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.length < 512) return other;
  const sector = 2 ** Math.min(view.readUInt16LE(30), 12);
  const start = (view.readUInt32LE(48) + 1) * sector;
  const names = Array.from({ length: Math.floor(sector / entryBytes) }, (_, index) => {
    const entry = view.subarray(start + index * entryBytes, start + (index + 1) * entryBytes);
    return entry.length < entryBytes
      ? ""
      : entry.toString("utf16le", 0, Math.max(0, Math.min(entry.readUInt16LE(64), 64) - 2));
  });
  for (const [prefix, binary, reader] of formats) {
    if (names.some((name) => name.startsWith(prefix))) return { binary, reader };
  }
  return other;
}

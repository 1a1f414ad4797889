import type { Ledger } from "../ledger.ts";
import { rejectPart } from "../parts.ts";
import { checkMembers, readMemberText, type ZipMember } from "./zip-archive.ts";

export { openZip } from "./zip-archive.ts";

/** Returns the text of an Office document, undefined for another ZIP archive. Throws for a document with a password. */
export async function officeText(
  members: ZipMember[],
  bytes: Uint8Array,
  part: string | undefined,
  maxCharacters: number,
  ledger: Ledger,
): Promise<string | undefined> {
  const format = await officeFormat(members);
  if (format === "docx" || format === "odt") rejectPart(part);
  switch (format) {
    case "docx":
      await checkMembers(members);
      return (await import("../word/word.ts")).wordText(members, ledger);
    case "xlsx":
    case "ods":
      await checkMembers(members);
      return (await import("../sheets/spreadsheet.ts")).spreadsheetText(
        format,
        members,
        bytes,
        part,
        maxCharacters,
        ledger,
      );
    case "pptx":
      return (await import("../slides/presentation.ts")).presentationText(members, part, ledger);
    case "odt":
      return (await import("../open/open-document.ts")).openDocumentText(members, ledger);
    case "odp":
      return (await import("../open/open-document.ts")).openPresentationText(members, part, ledger);
    case undefined:
      return undefined;
  }
}

type Format = "docx" | "xlsx" | "pptx" | "odt" | "ods" | "odp";

/** Folders of the formats of Microsoft Office. */
const officeFolders: [folder: string, format: Format][] = [
  ["word/", "docx"],
  ["xl/", "xlsx"],
  ["ppt/", "pptx"],
];

const openDocumentType = "application/vnd.oasis.opendocument.";

/** OpenDocument media types, without their beginning. */
const openDocumentFormats: [type: string, format: Format][] = [
  ["text", "odt"],
  ["spreadsheet", "ods"],
  ["presentation", "odp"],
  ["graphics", "odp"],
];

const binaryWorkbook =
  'it is a binary workbook (XLSB). In a Linux environment, run_python reads it with pandas.read_excel(…, engine="calamine")';

async function officeFormat(members: ZipMember[]): Promise<Format | undefined> {
  const names = members.map(({ name }) => name);
  if (names.includes("xl/workbook.bin")) throw new Error(binaryWorkbook);
  if (names.includes("[Content_Types].xml")) {
    return officeFolders.find(([folder]) => names.some((name) => name.startsWith(folder)))?.[1];
  }
  const mimetype = members.find(({ name, size }) => name === "mimetype" && size < 200);
  const type = mimetype && (await readMemberText([mimetype], "mimetype"));
  if (!type?.startsWith(openDocumentType)) return undefined;
  const manifest = await readMemberText(members, "META-INF/manifest.xml");
  if (manifest?.includes("encryption-data")) throw new Error("it has a password");
  return openDocumentFormats.find(([name]) => type.slice(openDocumentType.length).startsWith(name))?.[1];
}

const maxListedMembers = 5_000;

/** `isContained`: the archive is in another file. */
export function memberList(members: ZipMember[], isContained: boolean, ledger: Ledger): string {
  if (members.some(({ unmarked }) => unmarked === "CP437")) {
    ledger.say(
      "Names without a mark for UTF-8 are read as CP437, as the format says and Python does. If they look wrong, they were written in another encoding.",
    );
  }
  if (members.some(({ unmarked }) => unmarked === "UTF-8")) {
    ledger.say(
      "Names without a mark for UTF-8 are read as UTF-8, because they are valid. Python's zipfile reads them as CP437.",
    );
  }
  const lines = members
    .slice(0, maxListedMembers)
    .map(({ name, size, isEncrypted }) => `${name} (${size} bytes${isEncrypted ? ", encrypted" : ""})`);
  const more = members.length > maxListedMembers ? [`[${members.length - maxListedMembers} more]`] : [];
  const how = isContained
    ? "They can be read only after a program of run_python extracts the archive"
    : "Read one with part";
  return [`[ZIP archive, members: ${members.length}. ${how}.]`, ...lines, ...more].join("\n");
}

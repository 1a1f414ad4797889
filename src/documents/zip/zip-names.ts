import { type Entry, getFileNameLowLevel } from "yauzl";

/** How the name of a member is stored: with a mark for UTF-8, or as bytes without one. */
export interface MemberName {
  name: string;
  /** Absent: it is marked, or ASCII. */
  unmarked?: "UTF-8" | "CP437";
}

/** Bit 11 of the flags: the name is UTF-8. */
const utf8Flag = 0x800;

/** An extra field with the name in UTF-8, which Info-ZIP writes. */
const unicodePath = 0x7075;

/**
 * The name of a member of a ZIP archive. Without a mark it is CP437, as the format says (APPNOTE 4.4.4 and appendix D), unless
 * it is valid UTF-8, which programs of Linux and macOS write without the mark.
 */
export function memberName({ fileNameRaw, generalPurposeBitFlag: flags, extraFields }: Entry): MemberName {
  const name = getFileNameLowLevel(flags, fileNameRaw, extraFields, true);
  const isMarked = (flags & utf8Flag) !== 0 || extraFields.some(({ id }) => id === unicodePath);
  if (isMarked || fileNameRaw.every((byte) => byte < 128)) return { name };
  try {
    return { name: new TextDecoder("utf-8", { fatal: true }).decode(fileNameRaw), unmarked: "UTF-8" };
  } catch {
    return { name, unmarked: "CP437" };
  }
}

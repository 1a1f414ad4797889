import { crc32 } from "node:zlib";
import { isAscii } from "node:buffer";
import { ServiceError } from "../../errors.ts";
import type { ArchiveFile } from "../files/tar.ts";

/** Members of an archive: the format counts them in 16 bits. */
export const maxZipMembers = 65_535;
/** Bytes of an archive: the format has 32 bits for a place, and other limits of a bundle are far below. */
export const maxZipBytes = 2 * 1024 ** 3;

/** 1980-01-01 00:00, the first date of the format. The same files make the same bytes. */
const [dosTime, dosDate] = [0, 0x21];
const utf8Names = 0x0800;
const version = 20;

/**
 * A ZIP archive, file by file. Members are stored without compression: equal files make equal bytes with every release of zlib, and
 * a reader needs no limit of a ratio. https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT (4.3)
 */
export async function* zip(files: AsyncIterable<ArchiveFile>): AsyncGenerator<Uint8Array> {
  const members: Buffer[] = [];
  let offset = 0;
  for await (const { name, content } of files) {
    const path = Buffer.from(name);
    if (!isAscii(path)) throw new Error(`the name ${JSON.stringify(name)} of a member is not ASCII`);
    const place = { path, start: offset, size: content.length, crc: crc32(content) };
    offset = endOfMember(place);
    if (members.length >= maxZipMembers || offset > maxZipBytes) throw tooLarge(members.length + 1, offset);
    members.push(centralHeader(place));
    yield localHeader(place);
    yield content;
  }
  const directory = Buffer.concat(members);
  yield directory;
  yield endRecord(members.length, directory.length, offset);
}

/** Where a member is in the archive. `path`: its name. `start`: of its header. `size`, `crc`: of its content. */
export interface MemberPlace {
  path: Buffer;
  start: number;
  size: number;
  crc: number;
}

/** The first byte behind a member. */
export function endOfMember({ path, start, size }: MemberPlace): number {
  return start + localHeaderBytes + path.length + size;
}

export const [localHeaderBytes, centralHeaderBytes, endRecordBytes] = [30, 46, 22] as const;

/** The header before a member, with its name. */
export function localHeader(place: MemberPlace): Buffer {
  return Buffer.concat([word32(0x04034b50), memberFields(place), place.path]);
}

/** What the header before a member and the central directory have in common. */
function memberFields({ path, size, crc }: MemberPlace): Buffer {
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(version, 0);
  fields.writeUInt16LE(utf8Names, 2);
  fields.writeUInt16LE(dosTime, 6); // 4: the method, 0 for stored
  fields.writeUInt16LE(dosDate, 8);
  fields.writeUInt32LE(crc, 10);
  fields.writeUInt32LE(size, 14);
  fields.writeUInt32LE(size, 18);
  fields.writeUInt16LE(path.length, 22);
  return fields;
}

/** The entry of a member in the central directory. */
export function centralHeader(place: MemberPlace): Buffer {
  const rest = Buffer.alloc(14); // comment, disk and attributes are 0
  rest.writeUInt32LE(place.start, 10);
  return Buffer.concat([word32(0x02014b50), Buffer.from([version, 0]), memberFields(place), rest, place.path]);
}

/** The end of an archive. */
export function endRecord(members: number, directoryBytes: number, directoryOffset: number): Buffer {
  const record = Buffer.alloc(22);
  record.writeUInt32LE(0x06054b50, 0);
  record.writeUInt16LE(members, 8);
  record.writeUInt16LE(members, 10);
  record.writeUInt32LE(directoryBytes, 12);
  record.writeUInt32LE(directoryOffset, 16);
  return record;
}

function word32(value: number): Buffer {
  const word = Buffer.alloc(4);
  word.writeUInt32LE(value);
  return word;
}

function tooLarge(members: number, bytes: number): ServiceError {
  return new ServiceError(
    "invalid_argument",
    `the bundle would have more than ${maxZipMembers} files or ${maxZipBytes} bytes (file ${members} ends at byte ${bytes}), which is the most that a bundle can have; export the organization instead`,
  );
}

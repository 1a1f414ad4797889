import { crc32 } from "node:zlib";
import { ServiceError } from "../../errors.ts";
import {
  centralHeader,
  centralHeaderBytes,
  endOfMember,
  endRecord,
  endRecordBytes,
  localHeader,
  maxZipBytes,
  maxZipMembers,
  type MemberPlace,
} from "./zip.ts";

/** A file that is read in parts. `read` resolves with fewer bytes only at its end. */
export interface BundleFile {
  size: number;
  read(start: number, length: number): Promise<Uint8Array>;
}

/** A bundle that was received as a whole. */
export function bundleIn(bytes: Uint8Array): BundleFile {
  return { size: bytes.length, read: async (start, length) => bytes.subarray(start, start + length) };
}

/** A member of an archive. */
export interface Member extends MemberPlace {
  name: string;
}

/** Bytes of the longest name of a member: `configurations/SHA256.json`. */
const maxNameBytes = 100;

/**
 * The members of an archive as `zip` writes it, byte for byte: anything else is refused, such as compressed or encrypted members,
 * comments, gaps, and headers that differ from the directory. So nothing is expanded, and all programs see the same members.
 */
export async function openArchive(file: BundleFile): Promise<Member[]> {
  const { size } = file;
  if (size > maxZipBytes + maxZipMembers * (centralHeaderBytes + maxNameBytes))
    throw badBundle(`it has ${size} bytes; at most ${maxZipBytes} are accepted`);
  if (size < endRecordBytes) throw notWritten("it is shorter than an empty archive");
  const end = await bytesAt(file, size - endRecordBytes, endRecordBytes);
  const [count, length, start] = [end.readUInt16LE(10), end.readUInt32LE(12), end.readUInt32LE(16)];
  if (!end.equals(endRecord(count, length, start)) || start + length + endRecordBytes !== size)
    throw notWritten("it does not end as one");
  if (length > count * (centralHeaderBytes + maxNameBytes)) throw notWritten("its directory has long names");
  const directory = await bytesAt(file, start, length);
  const members: Member[] = [];
  let [at, next] = [0, 0];
  for (let index = 0; index < count; index++) {
    const member = memberAt(directory, at);
    if (!member || member.start !== next) throw notWritten(`its directory is not as expected at file ${index + 1}`);
    members.push(member);
    at += centralHeaderBytes + member.path.length;
    next = endOfMember(member);
  }
  if (at !== length || next !== start) throw notWritten("its files do not fill it");
  return members;
}

/** The entry of the directory at a place. Undefined: `zip` does not write such an entry. */
function memberAt(directory: Buffer, at: number): Member | undefined {
  if (at + centralHeaderBytes > directory.length) return undefined;
  const [crc, size] = [directory.readUInt32LE(at + 16), directory.readUInt32LE(at + 20)];
  const nameAt = at + centralHeaderBytes;
  const path = directory.subarray(nameAt, nameAt + directory.readUInt16LE(at + 28));
  const place = { path, size, crc, start: directory.readUInt32LE(at + 42) };
  const expected = centralHeader(place);
  const isSame = directory.subarray(at, at + expected.length).equals(expected);
  return isSame ? { name: path.toString("latin1"), ...place } : undefined;
}

/** The content of a member. `maxBytes`: more are refused before they are read. */
export async function readMember(file: BundleFile, member: Member, maxBytes: number): Promise<Buffer> {
  const { name, size, start, crc } = member;
  if (size > maxBytes) throw badBundle(`${name} has ${size} bytes; at most ${maxBytes} are accepted`);
  const header = localHeader(member);
  const bytes = await bytesAt(file, start, header.length + size);
  const content = bytes.subarray(header.length);
  if (!bytes.subarray(0, header.length).equals(header))
    throw notWritten(`the header of ${name} differs from its directory`);
  if (crc32(content) !== crc) throw badBundle(`the content of ${name} is damaged: its checksum differs`);
  return content;
}

async function bytesAt(file: BundleFile, start: number, length: number): Promise<Buffer> {
  const bytes = await file.read(start, length);
  if (bytes.length !== length) throw notWritten("it ends too early");
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** The error of a bundle that is not imported. `why`: a clause. */
export function badBundle(why: string): ServiceError {
  return new ServiceError("invalid_argument", `the bundle cannot be imported: ${why}`);
}

function notWritten(why: string): ServiceError {
  return badBundle(`it is not an archive as the export of a run writes it: ${why}; do not pack it again`);
}

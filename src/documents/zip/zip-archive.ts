import yauzl, { type Entry } from "yauzl";
import { decodeText } from "../encoding/decode-text.ts";
import { escapeInvisible, uniqueNames } from "../parts.ts";
import { type MemberName, memberName } from "./zip-names.ts";

/** Bytes of all members that are decompressed: 10 times the largest upload. More is a decompression bomb. */
const maxDecompressedBytes = 100 * 1024 * 1024;
const maxMembers = 10_000;

const tooLarge =
  `its members exceed ${maxDecompressedBytes} bytes in total. A program of run_python or run_shell can read it in parts: ` +
  "the first rows, or single members";

export interface ZipMember {
  /** With control and invisible characters escaped. Folders end with a slash. */
  name: string;
  /** The encoding in which a name without a mark is read. */
  unmarked: MemberName["unmarked"];
  /** Bytes of its content, as the archive declares them. Reading checks that. */
  size: number;
  isEncrypted: boolean;
  /** Throws for an encrypted or damaged member, and when the limit of the archive is exceeded. */
  read(): Promise<Uint8Array>;
  /** Reads without keeping the content. */
  check(): Promise<void>;
}

/**
 * Opens a ZIP archive. Members are listed without being decompressed. Those that are read may have 100 MB together, by
 * count: a declared size that is not true is an error. Throws an Error whose message is for the model.
 */
export async function openZip(bytes: Uint8Array): Promise<ZipMember[]> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const zip = await yauzl.fromBufferPromise(buffer, { decodeStrings: false });
  if (zip.entryCount > maxMembers) throw new Error(`it has more than ${maxMembers} members`);
  const charged = new Set<Entry>();
  let bytesLeft = maxDecompressedBytes;

  async function* chunks(entry: Entry): AsyncGenerator<Buffer> {
    if (entry.isEncrypted()) throw new Error(`${escapeInvisible(memberName(entry).name)} is encrypted`);
    if (!charged.has(entry)) bytesLeft -= entry.uncompressedSize;
    charged.add(entry);
    if (bytesLeft < 0) throw new Error(tooLarge);
    for await (const chunk of await zip.openReadStreamPromise(entry)) yield chunk as Buffer;
  }

  const entries: Entry[] = [];
  for await (const entry of zip.eachEntry()) entries.push(entry);
  const stored = entries.map(memberName);
  const names = uniqueNames(stored.map(({ name }) => escapeInvisible(name)));
  return entries.map((entry, index) => ({
    name: names[index] ?? "",
    unmarked: stored[index]?.unmarked,
    size: entry.uncompressedSize,
    isEncrypted: entry.isEncrypted(),
    async read() {
      const content: Buffer[] = [];
      for await (const chunk of chunks(entry)) content.push(chunk);
      return Buffer.concat(content);
    },
    async check() {
      for await (const _chunk of chunks(entry));
    },
  }));
}

/** The content of a member as text. Undefined if there is no such member. */
export async function readMemberText(members: ZipMember[], name: string): Promise<string | undefined> {
  const bytes = await members.find((member) => member.name === name)?.read();
  if (!bytes) return undefined;
  const decoded = decodeText(bytes);
  if ("binary" in decoded) throw new Error(`${name} in it is ${decoded.binary}`);
  return decoded.text;
}

/**
 * Decompresses all members to check that the archive is within the limit. Required before a library reads the archive
 * itself.
 */
export async function checkMembers(members: ZipMember[]): Promise<void> {
  for (const member of members) await member.check();
}

import yauzl from "yauzl";

/** A member of a bundle. `time`: in the local time zone, as the format has it. */
export interface BundleMember {
  name: string;
  content: Buffer;
  method: number;
  time: Date;
}

/** Reads a bundle with the library that imports use. Checks the sums. */
export async function readBundle(bytes: Uint8Array): Promise<BundleMember[]> {
  const archive = await yauzl.fromBufferPromise(Buffer.from(bytes), { validateEntrySizes: true });
  const members: BundleMember[] = [];
  for await (const entry of archive.eachEntry()) {
    const parts: Buffer[] = [];
    for await (const part of await archive.openReadStreamPromise(entry)) parts.push(part as Buffer);
    const { fileName: name, compressionMethod: method } = entry;
    members.push({ name, content: Buffer.concat(parts), method, time: entry.getLastModDate() });
  }
  return members;
}

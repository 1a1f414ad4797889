import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createZstdCompress } from "node:zlib";

/** Writes a file whole or not at all. Only its owner may read it. `compress`: with Zstandard. */
export async function writeArchive(
  file: string,
  content: AsyncIterable<Uint8Array>,
  { compress = false }: { compress?: boolean } = {},
): Promise<void> {
  const partial = `${file}.partial`;
  const output = createWriteStream(partial, { mode: 0o600, flush: true });
  try {
    if (compress) await pipeline(Readable.from(content), createZstdCompress(), output);
    else await pipeline(Readable.from(content), output);
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

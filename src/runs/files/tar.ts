import { tarEnd, tarHeader, tarPadding } from "../../tar-format.ts";

/** A file of an archive. `name`: a path of ASCII characters with slashes. */
export interface ArchiveFile {
  name: string;
  content: Uint8Array;
}

/** A tar archive in the POSIX format (ustar), file by file. */
export async function* tar(files: AsyncIterable<ArchiveFile>): AsyncGenerator<Uint8Array> {
  for await (const { name, content } of files) {
    yield tarHeader({ path: name, size: content.length, mode: 0o600, type: "0" });
    yield content;
    yield tarPadding(content.length);
  }
  yield tarEnd;
}

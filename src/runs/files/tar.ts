/** A file of an archive. `name`: a path of ASCII characters with slashes. */
export interface ArchiveFile {
  name: string;
  content: Uint8Array;
}

const blockBytes = 512;

/** A tar archive in the POSIX format (ustar), file by file. */
export async function* tar(files: AsyncIterable<ArchiveFile>): AsyncGenerator<Uint8Array> {
  for await (const { name, content } of files) {
    yield header(name, content.length);
    yield content;
    yield Buffer.alloc((blockBytes - (content.length % blockBytes)) % blockBytes);
  }
  yield Buffer.alloc(2 * blockBytes);
}

/** Places of the fields: https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html (ustar interchange format) */
function header(path: string, size: number): Buffer {
  const block = Buffer.alloc(blockBytes);
  const cut = path.length > 100 ? path.lastIndexOf("/") : -1; // a longer path has its folder in another field
  const [folder, name] = [path.slice(0, Math.max(cut, 0)), path.slice(cut + 1)];
  if (folder.length > 155 || name.length > 100) throw new Error(`the name ${path} is too long for an archive`);
  block.write(name, 0);
  block.write(octal(0o600, 7), 100);
  for (const owner of [108, 116]) block.write(octal(0, 7), owner);
  block.write(octal(size, 11), 124);
  block.write(octal(0, 11), 136); // the same export has the same bytes
  block.write(" ".repeat(8), 148); // the sum counts itself as spaces
  block.write("0", 156);
  block.write("ustar\u000000", 257);
  block.write(folder, 345);
  block.write(
    `${octal(
      block.reduce((sum, byte) => sum + byte, 0),
      6,
    )} `,
    148,
  );
  return block;
}

function octal(value: number, digits: number): string {
  return `${value.toString(8).padStart(digits, "0")}\0`;
}

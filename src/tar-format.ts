// The format ustar: https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html

/** Headers and contents take whole blocks. */
export const blockBytes = 512;

/** What follows a content of this size, up to the end of its last block. */
export function tarPadding(size: number): Buffer {
  return Buffer.alloc((blockBytes - (size % blockBytes)) % blockBytes);
}

/** Two empty blocks end an archive. */
export const tarEnd: Buffer = Buffer.alloc(2 * blockBytes);

interface Entry {
  /** Of ASCII characters with slashes. */
  path: string;
  /** Bytes of the content. */
  size: number;
  mode: number;
  /** `0`: a regular file. `x`: records about the next entry. */
  type: "0" | "x";
}

/** The header of an entry. The same entry has the same bytes: it has no time and no owner. Throws an Error if the path is too long. */
export function tarHeader({ path, size, mode, type }: Entry): Buffer {
  const block = Buffer.alloc(blockBytes);
  const cut = path.length > 100 ? path.lastIndexOf("/") : -1; // a longer path has its folder in another field
  const [folder, name] = [path.slice(0, Math.max(cut, 0)), path.slice(cut + 1)];
  if (folder.length > 155 || name.length > 100) throw new Error(`the name ${path} is too long for an archive`);
  block.write(name, 0);
  block.write(octal(mode, 7), 100);
  for (const owner of [108, 116]) block.write(octal(0, 7), owner);
  block.write(octal(size, 11), 124);
  block.write(octal(0, 11), 136);
  block.write(" ".repeat(8), 148); // the sum counts itself as spaces
  block.write(type, 156);
  block.write("ustar\u000000", 257);
  block.write(folder, 345);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 6)} `, 148);
  return block;
}

function octal(value: number, digits: number): string {
  return `${value.toString(8).padStart(digits, "0")}\0`;
}

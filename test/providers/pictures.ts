/** The first bytes of a PNG of this size. `bytes`: of the file. */
export function png(width: number, height: number, bytes = 40): Buffer {
  const file = Buffer.alloc(bytes);
  file.write("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1");
  file.writeUInt32BE(width, 16);
  file.writeUInt32BE(height, 20);
  return file;
}

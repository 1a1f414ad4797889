import { Zip, ZipPassThrough } from "fflate";

/** Several files as one ZIP archive, not compressed. In a module of its own: most readers never load it. */
export async function zipOf(files: { name: string; content: Blob }[]): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const zip = new Zip((error, part) => {
    if (error) throw error;
    parts.push(new Uint8Array(part));
  });
  for (const { name, content } of files) {
    const entry = new ZipPassThrough(name);
    zip.add(entry);
    entry.push(new Uint8Array(await content.arrayBuffer()), true);
  }
  zip.end();
  return new Blob(parts, { type: "application/zip" });
}

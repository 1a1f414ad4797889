import { zipSync } from "fflate";

/** Several files as one ZIP archive, not compressed. In a module of its own: most readers never load it. */
export async function zipOf(files: { name: string; content: Blob }[]): Promise<Blob> {
  const entries = await Promise.all(
    files.map(async ({ name, content }) => [name, new Uint8Array(await content.arrayBuffer())] as const),
  );
  const archive = zipSync(Object.fromEntries(entries), { level: 0 });
  return new Blob([archive], { type: "application/zip" });
}

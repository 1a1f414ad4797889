import { isNode, nodeModules } from "./node-modules.ts";
import type { Bytes, FileInput } from "./types.ts";

export interface NamedBlob {
  name: string;
  blob: Blob;
}

/** The files, whose contents are not read yet. */
export async function openFiles(files: readonly FileInput[]): Promise<NamedBlob[]> {
  return Promise.all(
    files.map(async (file) => {
      if (typeof file === "string") return openPath(file);
      const content = file instanceof Blob ? file : file.content;
      // `slice` leaves out the type, which `fetch` would send.
      const blob = content instanceof Blob ? content.slice() : new Blob([content as string | Bytes]);
      return { name: file.name, blob };
    }),
  );
}

async function openPath(file: string): Promise<NamedBlob> {
  const { fs, files, path } = nodeModules();
  const found = await files.stat(file);
  const hasSize = found.isFile() && found.size > 0; // a pipe and the files of /proc have none
  const blob = hasSize ? await fs.openAsBlob(file) : new Blob([new Uint8Array(await files.readFile(file))]);
  return { name: path.basename(file), blob };
}

/** The file as a request has it. */
export async function inline({ name, blob }: NamedBlob): Promise<{ filename: string; content_base64: string }> {
  return { filename: name, content_base64: await base64(blob) };
}

async function base64(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let binary = "";
  for (let start = 0; start < bytes.length; start += 0x8000) {
    binary += String.fromCharCode(...bytes.subarray(start, start + 0x8000));
  }
  return btoa(binary);
}

/** SHA-256 in hex digits. A browser needs the whole content for it. */
export async function sha256(blob: Blob): Promise<string> {
  if (isNode()) {
    const hash = nodeModules().crypto.createHash("sha256");
    for await (const part of blob.stream()) hash.update(part);
    return hash.digest("hex");
  }
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", await blob.arrayBuffer()));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

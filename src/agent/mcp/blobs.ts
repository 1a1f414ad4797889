import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { safeFilenames } from "../../filenames.ts";
import { attachmentKind, attachmentProblem } from "../attachment-limits.ts";
import type { Files } from "../tools/files/files.ts";

/** Content of a result that is not text, in base 64. `uri`: of an embedded resource. */
export interface Blob {
  data: string;
  mimeType?: string;
  uri?: string;
}

/** What the model reads of a blob. `attachment`: an image that it sees. */
interface ShownBlob {
  text: string;
  attachment?: { name: string; mediaType: string };
}

/** Where the files of a result go. `redact`: removes secrets that were sent to the server. */
export interface BlobTarget {
  server: string;
  files: Files;
  redact: (text: string) => string;
}

/** Endings of files whose media type does not end in them, for blobs without a name. */
const endings: Record<string, string> = {
  "application/octet-stream": "bin",
  "application/vnd.ms-excel": "xls",
  "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
  "audio/mpeg": "mp3",
  "audio/x-wav": "wav",
  "image/svg+xml": "svg",
  "text/plain": "txt",
};

/** Media types that are text, beside `text/*`. */
const textTypes = /^application\/(json|xml|yaml|x-yaml|toml|javascript|sql|x-ndjson|[\w.-]+\+(json|xml|yaml))$/;

/**
 * The text of a blob that is text, as servers send sources (danny-avila/LibreChat#15601). Others become files of
 * the run, under a name with the hash of their content, so that parallel and repeated calls do not overwrite each other's. Images
 * that models accept are attached.
 */
export async function shownBlob(blob: Blob, { server, files, redact }: BlobTarget): Promise<ShownBlob> {
  const type = blob.mimeType?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const raw = Buffer.from(blob.data, "base64");
  const text = isUtf8(raw) && !raw.includes(0) ? raw.toString() : undefined;
  if (text !== undefined && (type === "" || type.startsWith("text/") || textTypes.test(type))) return { text };
  const bytes = text === undefined ? raw : Buffer.from(redact(text));
  const isImage = attachmentKind(type)?.name === "images";
  const what = isImage ? "An image" : `A file of type ${type || "application/octet-stream"}`;
  const hash = createHash("sha256").update(raw).digest("hex").slice(0, 12);
  const name = `${server}-${hash}${ending(type, redact(blob.uri ?? ""))}`;
  return files.update(async () => {
    const problem = await files.problemOf({ name, size: bytes.length });
    if (problem !== undefined) return { text: `[${what} that could not be saved: ${problem}]` };
    await files.write(name, bytes);
    const unshown = isImage ? attachmentProblem(type, bytes.length) : undefined;
    const saved = `[${what}, saved as ${name} in the workspace${unshown === undefined ? "" : `; ${unshown}`}.]`;
    return isImage && unshown === undefined ? { text: saved, attachment: { name, mediaType: type } } : { text: saved };
  });
}

/** The end of a file's name: the last part of the URI, or an ending by the media type. */
function ending(type: string, uri: string): string {
  const last = uri.split(/[?#]/, 1)[0]?.split("/").at(-1) ?? "";
  const given = last === "" ? "" : safeFilenames()(decoded(last)).slice(-100).toWellFormed();
  if (given.includes(".")) return `-${given}`;
  const subtype = /^[a-z]+\/(?:x-)?([a-z0-9]{1,10})$/.exec(type)?.[1];
  return `${given === "" ? "" : `-${given}`}.${endings[type] ?? subtype ?? "bin"}`;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

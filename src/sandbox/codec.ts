import { gunzipSync, gzipSync } from "node:zlib";
import { sandboxLimits } from "./program-limits.ts";
import type { SandboxFile, SandboxRequest, SandboxResult } from "./sandbox-types.ts";

/** Bytes of one encoded message. Lambda accepts and returns 6 MB; the rest is for the JSON around it. */
export const maxMessageBytes = 6 * 1024 * 1024 - 1_024;

/** The same limit in megabytes of compressed files, for texts. Base64 makes four characters of three bytes. */
export const maxFileMegabytes = ((maxMessageBytes * 3) / 4 / 1024 / 1024).toFixed(1);

/** Bytes of one decoded message: files, output and the program. */
const maxDecodedBytes = 2 * sandboxLimits.filesBytes + 16 * 1024 * 1024;

/**
 * Encodes a request or result as text. Undefined when the text is larger than `maxMessageBytes`. Tables and texts of 20 MB usually
 * fit; images of 4.5 MB do not.
 */
export function encodeMessage(message: SandboxRequest | SandboxResult): string | undefined {
  const text = encodeWhole(message);
  return text.length <= maxMessageBytes ? text : undefined;
}

/** Encodes a request or result of any size: a JSON heading and the files' bytes, compressed, in base64. */
export function encodeWhole(message: SandboxRequest | SandboxResult): string {
  const files = "files" in message ? message.files : message.written;
  const sizes = files.map(({ name, content }) => ({ name, size: content.length }));
  const heading = Buffer.from(JSON.stringify({ ...message, files: sizes, written: undefined }));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(heading.length);
  return gzipSync(Buffer.concat([length, heading, ...files.map(({ content }) => content)])).toString("base64");
}

export function decodeRequest(text: string): SandboxRequest {
  return decode<Omit<SandboxRequest, "files">>(text);
}

export function decodeResult(text: string): SandboxResult {
  const { files, output, problem, deleted, notes } = decode<Omit<SandboxResult, "written">>(text);
  return { output, written: files, notes, ...(deleted && { deleted }), ...(problem !== undefined && { problem }) };
}

/** Throws an Error for a text that `encodeMessage` did not return. */
function decode<Heading>(text: string): Heading & { files: SandboxFile[] } {
  const bytes = gunzipSync(Buffer.from(text, "base64"), { maxOutputLength: maxDecodedBytes });
  let offset = 4 + bytes.readUInt32BE(0);
  const heading = JSON.parse(bytes.subarray(4, offset).toString()) as Heading & {
    files: { name: string; size: number }[];
  };
  const files = heading.files.map(({ name, size }) => {
    const content = bytes.subarray(offset, offset + size);
    if (content.length !== size) throw new Error("the sandbox message is truncated");
    offset += size;
    return { name, content };
  });
  return { ...heading, files };
}

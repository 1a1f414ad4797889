import { gunzipSync, gzipSync } from "node:zlib";
import { sandboxLimits } from "./limits.ts";
import type { SandboxFile, SandboxRequest, SandboxResult } from "./types.ts";

/** Bytes of text that fit one message: Lambda takes and gives 6 MB, and JSON adds a few to it. */
export const maxMessageBytes = 6 * 1024 * 1024 - 1_024;

/** The same for people, as megabytes of what is compressed: base64 makes four characters of three bytes. */
export const maxFileMegabytes = ((maxMessageBytes * 3) / 4 / 1024 / 1024).toFixed(1);

/** Bytes that a message may unpack to: files, output and the program itself. */
const unpackedBytes = 2 * sandboxLimits.filesBytes + 16 * 1024 * 1024;

/**
 * A request or result as text: its files' bytes behind a JSON heading, compressed. Undefined when it is larger than
 * `messageBytes`, which tables and texts of 20 MB usually are not, and images of 4.4 MB are.
 */
export function encodeMessage(message: SandboxRequest | SandboxResult): string | undefined {
  const files = "files" in message ? message.files : message.written;
  const sizes = files.map(({ name, content }) => ({ name, size: content.length }));
  const heading = Buffer.from(JSON.stringify({ ...message, files: sizes, written: undefined }));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(heading.length);
  const text = gzipSync(Buffer.concat([length, heading, ...files.map(({ content }) => content)])).toString("base64");
  return text.length <= maxMessageBytes ? text : undefined;
}

export function decodeRequest(text: string): SandboxRequest {
  return unpack<Omit<SandboxRequest, "files">>(text);
}

export function decodeResult(text: string): SandboxResult {
  const { files, output, problem, notes } = unpack<Omit<SandboxResult, "written">>(text);
  return { output, written: files, notes, ...(problem !== undefined && { problem }) };
}

/** Throws for what `packed` did not make. */
function unpack<Heading>(text: string): Heading & { files: SandboxFile[] } {
  const bytes = gunzipSync(Buffer.from(text, "base64"), { maxOutputLength: unpackedBytes });
  let offset = 4 + bytes.readUInt32BE(0);
  const heading = JSON.parse(bytes.subarray(4, offset).toString()) as Heading & {
    files: { name: string; size: number }[];
  };
  const files = heading.files.map(({ name, size }) => {
    const content = bytes.subarray(offset, offset + size);
    if (content.length !== size) throw new Error("the sandbox's message is cut");
    offset += size;
    return { name, content };
  });
  return { ...heading, files };
}

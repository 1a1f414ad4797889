import type { CallToolResult, McpServer } from "@modelcontextprotocol/server";
import { decodeText } from "../../documents/encoding/decode-text.ts";
import { ServiceError } from "../../errors.ts";
import type { SharedSchemas } from "../../http/rest/schemas/schema-types.ts";
import { findOwnRun } from "../../runs/control/own-run.ts";
import { findRunFile, readRunFile } from "../../runs/files/read-files.ts";
import { type McpCall, operationCall } from "../call.ts";
import { inputSchema, outputSchema } from "../standard-schema.ts";
import { maxTextLength, pieceOf } from "../text-piece.ts";
import { type FileList, fileList, maxListedFiles } from "./outputs.ts";
import { guarded } from "./tool.ts";

/** Bytes of the largest file that is read for its text, and of one that is returned as base64. */
const [maxTextBytes, maxBinaryBytes] = [10 * 1024 * 1024, 512 * 1024];

const annotations = { readOnlyHint: true, openWorldHint: false };

/** `list_files` and `read_file`. */
export function registerFileTools(server: McpServer, call: McpCall): void {
  const { runs, handlers, principal, named } = call;
  server.registerTool(
    named("list_files"),
    {
      title: "List the files of a run",
      description:
        "Lists the files of a run, uploads included, sorted by name, as they are now: also while it is running. Names are " +
        "paths such as reports/q3.csv.",
      inputSchema: inputSchema("list_files", call),
      outputSchema: outputSchema(fileList),
      annotations,
    },
    guarded(call, async ({ run_id, prefix }) => {
      const { data } = await handlers.list_files({ ...operationCall(call, { path: { run_id } }), query: {} });
      return listResult(data.filter(({ name }) => name.startsWith(prefix)));
    }),
  );
  server.registerTool(
    named("read_file"),
    {
      title: "Read a file of a run",
      description:
        `Returns a file of a run: text in pieces of ${maxTextLength} characters (continue with offset), images and other ` +
        `binary files up to ${maxBinaryBytes / 1024} KiB, and for larger files the URL to download them.`,
      inputSchema: inputSchema("read_file", call),
      annotations,
    },
    guarded(call, async ({ run_id, name, offset }) => {
      // Not by the handler of the download, which streams, and on AWS redirects to S3.
      const { id } = await findOwnRun(runs, principal, run_id);
      const file = await findRunFile(call, id, name).catch((error: unknown) => {
        const isMissing = error instanceof ServiceError && error.code === "file_not_found";
        throw isMissing ? missingFile(name, call) : error;
      });
      const url = `${call.origin}/ext/v1/runs/${id}/files/${encodeURIComponent(file.name)}`;
      if (file.size > maxTextBytes) return tooLarge(file, url);
      const { content } = await readRunFile(call, id, file.name);
      return contentResult({ ...file, content, url }, offset, call);
    }),
  );
}

function missingFile(name: string, { named }: McpCall): ServiceError {
  return new ServiceError(
    "file_not_found",
    `the run has no file ${JSON.stringify(name)}; ${named("list_files")} returns the names`,
  );
}

function listResult(files: SharedSchemas["RunFile"][]): CallToolResult {
  const listed = files.slice(0, maxListedFiles).map(({ name, size, kind, sent_as, changed_at_step }) => {
    return { name, size, kind, sent_as, changed_at_step };
  });
  const lines = listed.map(({ name, size, kind, sent_as: sent }) => {
    if (kind !== "file") return `${name} (${kind === "link" ? "symbolic link" : "empty folder"})`;
    return `${name} (${size} bytes${sent === null ? "" : `, sent as ${JSON.stringify(sent)}`})`;
  });
  if (files.length > maxListedFiles)
    lines.push(`[The first ${maxListedFiles} of ${files.length} files. Set prefix to list others.]`);
  const text = lines.join("\n") || "There are no files.";
  return {
    content: [{ type: "text", text }],
    structuredContent: { total: files.length, files: listed } satisfies FileList,
  };
}

interface FileContent {
  name: string;
  size: number;
  content: Uint8Array;
  url: string;
}

function contentResult(file: FileContent, offset: number, { named }: McpCall): CallToolResult {
  const decoded = decodeText(file.content);
  if ("text" in decoded) return textResult(file, { whole: decoded.text, offset, named });
  if (file.size > maxBinaryBytes) return tooLarge(file, file.url);
  const { mediaType = "application/octet-stream" } = decoded;
  const data = Buffer.from(file.content).toString("base64");
  const about = { type: "text" as const, text: `${file.name} is ${decoded.binary} of ${file.size} bytes.` };
  // Clients show images to the model and save other resources. Structured content would replace both in some clients.
  if (mediaType.startsWith("image/")) return { content: [about, { type: "image", data, mimeType: mediaType }] };
  return { content: [about, { type: "resource", resource: { uri: file.url, mimeType: mediaType, blob: data } }] };
}

function textResult(
  { name, size }: FileContent,
  { whole, offset, named }: { whole: string; offset: number } & Pick<McpCall, "named">,
): CallToolResult {
  const { text, next } = pieceOf(whole, offset);
  const more =
    next === null
      ? ""
      : `\n[${name} continues: ${named("read_file")} with offset ${next}; it has ${whole.length} characters]`;
  return { content: [{ type: "text", text: text + more }], structuredContent: { name, size, text, next_offset: next } };
}

function tooLarge({ name, size }: { name: string; size: number }, url: string): CallToolResult {
  const text = `${name} has ${size} bytes, too many for this tool. Download it with GET ${url} and the API key as bearer.`;
  return { content: [{ type: "text", text }], structuredContent: { name, size, url } };
}

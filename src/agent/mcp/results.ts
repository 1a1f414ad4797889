import { findExcessiveDepth, maxJsonDepth, parseExact } from "../../json.ts";
import type { Files } from "../tools/files/files.ts";
import { structuredText } from "./messages.ts";
import { errorOutput, type ToolOutput } from "../tools/tool.ts";
import { type Blob, shownBlob } from "./blobs.ts";

/** The result of an MCP call, as far as it is used here. */
export interface McpResult {
  content?: ContentBlock[];
  structuredContent?: unknown;
  isError?: boolean;
}

type ContentBlock =
  | { type: "text"; text: string }
  | { type: "image" | "audio"; data: string; mimeType: string }
  | { type: "resource"; resource: { uri: string; text?: string; blob?: string; mimeType?: string } }
  | { type: "resource_link"; uri: string; name: string; description?: string; mimeType?: string; size?: number };

/** Characters of a structured result that is recorded beside the text. Most servers send the same JSON as text. */
const maxStructuredCharacters = 100_000;

/** Characters of one result. Of a longer one, the rest is lost, and the result says so. */
const maxCharacters = 10_000_000;

/**
 * Converts an MCP result for the model. Text is kept. Everything else is written to the workspace, and images are attached.
 * `redact` is applied before the text is cut.
 */
export async function resultOutput(
  server: string,
  result: McpResult,
  files: Files,
  redact: (text: string) => string,
): Promise<ToolOutput> {
  const { content = [], structuredContent, isError = false } = result;
  const texts: string[] = [];
  const attachments: { name: string; mediaType: string }[] = [];
  for (const block of content) {
    const blob = blobOf(block);
    const shown = blob ? await shownBlob(blob, { server, files, redact }) : { text: blockText(block) };
    texts.push(shown.text);
    if ("attachment" in shown && shown.attachment) attachments.push(shown.attachment);
  }
  const json = structuredContent === undefined ? undefined : jsonText(structuredContent);
  if (content.length === 0 && structuredContent !== undefined) texts.push(json ?? tooDeep);
  const whole = redact(texts.join("\n"));
  const text = cutText(whole) || "The tool returned an empty result.";
  const structured = json === undefined || json === "null" ? undefined : unshownJson(redact(json), whole);
  return {
    ...(isError ? errorOutput(text) : { text }),
    ...(attachments.length > 0 && { attachments }),
    ...(structured !== undefined && { structured }),
  };
}

/** The JSON of a structured result, to be recorded. Undefined: the text is the same JSON, or it is too long. */
function unshownJson(json: string, text: string): string | undefined {
  if (json.length > maxStructuredCharacters) return undefined;
  try {
    return JSON.stringify(parseExact(text)) === json ? undefined : json;
  } catch {
    return json; // a text for people
  }
}

function cutText(text: string): string {
  if (text.length <= maxCharacters) return text;
  const note = `[The result has ${text.length} characters. Only the first ${maxCharacters} are kept.]`;
  return `${text.slice(0, maxCharacters).toWellFormed()}\n${note}`;
}

/** The value as JSON. Undefined: it is nested too deep. Up to Node 24, JSON.stringify overflows the stack then; Node 26 has no such limit. */
function jsonText(value: unknown): string | undefined {
  try {
    const text = structuredText(value);
    return findExcessiveDepth(text) === undefined ? text : undefined;
  } catch {
    return undefined;
  }
}

const tooDeep = `[The result is nested more than ${maxJsonDepth} levels deep and is not shown.]`;

/** Undefined: the block is text. */
function blobOf(block: ContentBlock): Blob | undefined {
  if (block.type === "image" || block.type === "audio") return block;
  if (block.type !== "resource" || block.resource.text !== undefined) return undefined;
  const { uri, blob = "", mimeType } = block.resource;
  return { uri, data: blob, ...(mimeType !== undefined && { mimeType }) };
}

function blockText(block: ContentBlock): string {
  if (block.type === "text") return block.text;
  if (block.type === "resource") return block.resource.text ?? "";
  if (block.type !== "resource_link") return "";
  const { name, uri, description, mimeType, size } = block;
  const facts = [mimeType, size === undefined ? undefined : `${size} bytes`].filter((fact) => fact !== undefined);
  return `${name}: ${uri}${facts.length > 0 ? ` (${facts.join(", ")})` : ""}${description ? `\n${description}` : ""}`;
}

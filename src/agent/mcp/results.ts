import { createHash } from "node:crypto";
import { findExcessiveDepth, maxJsonDepth } from "../../json.ts";
import { attachmentKind, attachmentProblem } from "../attachment-limits.ts";
import type { Files } from "../tools/files.ts";
import { errorOutput, type ToolOutput } from "../tools/tool.ts";

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
  | { type: "resource_link"; uri: string; name: string };

/** Characters of a structured result that is recorded beside the text. Most servers send the same JSON as text. */
const maxStructuredCharacters = 100_000;

/** Characters of one result. Of a longer one, the rest is lost, and the result says so. */
const maxCharacters = 10_000_000;

/**
 * Converts an MCP result for the model. Text is kept. Images are written to the workspace and attached. `redact` is applied
 * before the text is cut.
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
    if (block.type !== "image" || attachmentKind(block.mimeType)?.name !== "images") {
      texts.push(blockText(block));
      continue;
    }
    const saved = await saveImage(server, block, files);
    texts.push(saved.text);
    if ("name" in saved) attachments.push({ name: saved.name, mediaType: block.mimeType });
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
    return JSON.stringify(JSON.parse(text)) === json ? undefined : json;
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
    const text = JSON.stringify(value);
    return findExcessiveDepth(text) === undefined ? text : undefined;
  } catch {
    return undefined;
  }
}

const tooDeep = `[The result is nested more than ${maxJsonDepth} levels deep and is not shown.]`;

function blockText(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "resource_link":
      return `${block.name}: ${block.uri}`;
    case "resource":
      return (
        block.resource.text ?? `[${block.resource.uri} is ${block.resource.mimeType ?? "a binary file"}; not shown.]`
      );
    case "image":
    case "audio":
      return `[A file of type ${block.mimeType}; not shown.]`;
  }
}

async function saveImage(
  server: string,
  { data, mimeType }: { data: string; mimeType: string },
  files: Files,
): Promise<{ text: string; name: string } | { text: string }> {
  const bytes = Buffer.from(data, "base64");
  const tooLarge = attachmentProblem(mimeType, bytes.length);
  if (tooLarge !== undefined) return { text: `[An image; ${tooLarge}.]` };
  // Named by its content, so that parallel and repeated calls do not overwrite each other's images.
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 12);
  const name = `${server}-${hash}.${mimeType.slice("image/".length)}`;
  return files.update(async () => {
    const problem = await files.problemOf({ name, size: bytes.length });
    if (problem !== undefined) return { text: `[An image that could not be saved: ${problem}]` };
    await files.write(name, bytes);
    return { text: `[An image, saved as ${name} in the workspace.]`, name };
  });
}

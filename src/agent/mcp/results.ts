import { createHash } from "node:crypto";
import { newNameProblem } from "../tools/write-files.ts";
import { attachmentKind, attachmentProblem } from "../attachment-limits.ts";
import { errorOutput, type Files, type ToolOutput } from "../tools/tool.ts";

/** What an MCP tool answered, as far as it is used here. */
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

/** Characters of a result; more than that no tool should have to say. */
const maxCharacters = 1_000_000;

/** Text as it is; images are written into the workspace, so that the model is shown them as files. */
export async function resultOutput(server: string, result: McpResult, files: Files): Promise<ToolOutput> {
  const { content = [], structuredContent, isError = false } = result;
  const pieces: string[] = [];
  const attachments: { name: string; mediaType: string }[] = [];
  for (const block of content) {
    if (block.type !== "image" || attachmentKind(block.mimeType)?.name !== "images") {
      pieces.push(described(block));
      continue;
    }
    const saved = await saveImage(server, block, files);
    pieces.push(saved.text);
    if ("name" in saved) attachments.push({ name: saved.name, mediaType: block.mimeType });
  }
  if (content.length === 0 && structuredContent !== undefined) pieces.push(jsonText(structuredContent));
  const text = pieces.join("\n").slice(0, maxCharacters) || "The tool answered with nothing.";
  return { ...(isError ? errorOutput(text) : { text }), ...(attachments.length > 0 && { attachments }) };
}

function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return "[A result that is nested too deep to be read.]";
  }
}

function described(block: ContentBlock): string {
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
  // By its content: calls that are made at the same time, or again, do not take each other's name.
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 12);
  const name = `${server}-${hash}.${mimeType.slice("image/".length)}`;
  const problem = newNameProblem(name, await files.list());
  if (problem !== undefined) return { text: `[An image that could not be kept: ${problem}]` };
  await files.write(name, bytes);
  return { text: `[An image; it is ${name} in the workspace.]`, name };
}

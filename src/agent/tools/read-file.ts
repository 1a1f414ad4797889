import { attachmentProblem } from "../attachment-limits.ts";
import type { Attachment } from "../model.ts";
import { withTimeout } from "../../async/with-timeout.ts";
import { sandboxLimits } from "../../sandbox/limits.ts";
import { readFile } from "./definitions.ts";
import { type DocumentKind, type DocumentText, isDocx, type ReadDocument } from "../../documents/read-document.ts";
import { findFile } from "./find-file.ts";
import { decodeText } from "../../documents/decode-text.ts";
import { excerpt } from "./excerpt.ts";
import { builtInTool, errorOutput, type Tool, type ToolOutput } from "./tool.ts";

type Place = { offset?: number; limit?: number; column?: number };

/** `read_file`. Text by lines, documents through `readDocument`, images and PDFs without text as attachments. */
export function readFileTool(readDocument: ReadDocument): Tool {
  return builtInTool(readFile, async (input: { name: string } & Place, { files, signal }) => {
    const { name } = input;
    const file = await findFile(files, name);
    if ("problem" in file) return errorOutput(file.problem);
    const { bytes } = file;
    const content = decodeText(bytes);
    if ("text" in content) return textOutput(name, content.text, input);

    const what = `${name} is ${content.binary} of ${bytes.length} bytes`;
    if (content.mediaType?.startsWith("image/")) return shown(what, bytes, { name, mediaType: content.mediaType });
    const kind = documentKind(content, bytes);
    if (!kind) return errorOutput(`${what}; only text files, PDF and DOCX documents and images can be read.`);
    const found = await documentText(kind, bytes, readDocument, signal);
    if ("problem" in found) return errorOutput(`${what}; ${found.problem}.`);
    if (found.text !== "") return textOutput(name, found.text, input);
    return kind === "pdf"
      ? shown(`${what} without text, probably a scan`, bytes, { name, mediaType: "application/pdf" })
      : errorOutput(`${what}; it holds no text.`);
  });
}

function textOutput(name: string, text: string, place: Place): ToolOutput {
  const result = excerpt(name, text, place);
  return "problem" in result ? errorOutput(result.problem) : result;
}

function shown(what: string, bytes: Uint8Array, attachment: Attachment): ToolOutput {
  const problem = attachmentProblem(attachment.mediaType, bytes.length);
  return problem === undefined
    ? { text: `${what}. It is attached.`, attachments: [attachment] }
    : errorOutput(`${what}; ${problem}.`);
}

function documentKind(content: { mediaType?: string }, bytes: Uint8Array): DocumentKind | undefined {
  if (content.mediaType === "application/pdf") return "pdf";
  return content.mediaType === "application/zip" && isDocx(bytes) ? "docx" : undefined;
}

async function documentText(
  kind: DocumentKind,
  bytes: Uint8Array,
  readDocument: ReadDocument,
  signal: AbortSignal,
): Promise<DocumentText> {
  const milliseconds = sandboxLimits.documentSeconds * 1000;
  const found = await withTimeout(milliseconds, signal, (cut) => readDocument(kind, bytes, cut));
  return found.timedOut
    ? { problem: `reading it took more than ${sandboxLimits.documentSeconds} seconds` }
    : found.value;
}

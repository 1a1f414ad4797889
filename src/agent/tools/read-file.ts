import { withTimeout } from "../../async/with-timeout.ts";
import { decodeText } from "../../documents/decode-text.ts";
import { type DocumentKind, type DocumentText, isDocx, type ReadDocument } from "../../documents/read-document.ts";
import { sandboxLimits } from "../../sandbox/limits.ts";
import { attachmentProblem } from "../attachment-limits.ts";
import type { Attachment } from "../model.ts";
import { readFile } from "./definitions.ts";
import { excerpt, type ExcerptRange } from "./excerpt.ts";
import { findFile } from "./files.ts";
import { builtInTool, errorOutput, type Tool, type ToolOutput } from "./tool.ts";

/** Returns text by lines, documents through `readDocument`, and images and PDFs without text as attachments. */
export function readFileTool(readDocument: ReadDocument): Tool {
  return builtInTool(readFile, async (input: { name: string } & ExcerptRange, { files, signal }) => {
    const { name } = input;
    const file = await findFile(files, name);
    if ("problem" in file) return errorOutput(file.problem);
    const { bytes } = file;
    const content = decodeText(bytes);
    if ("text" in content) return textOutput(name, content.text, input);

    const subject = `${name} is ${content.binary} of ${bytes.length} bytes`;
    const { mediaType } = content;
    if (mediaType?.startsWith("image/")) return attachmentOutput(subject, bytes, { name, mediaType });
    const kind = documentKind(mediaType, bytes);
    if (!kind) return errorOutput(`${subject}; only text files, PDF and DOCX documents and images can be read.`);
    const document = await documentText(kind, bytes, readDocument, signal);
    if ("problem" in document) return errorOutput(`${subject}; ${document.problem}.`);
    if (document.text !== "") return textOutput(name, document.text, input);
    return kind === "pdf"
      ? attachmentOutput(`${subject} without text, probably a scan`, bytes, { name, mediaType: "application/pdf" })
      : errorOutput(`${subject}; it contains no text.`);
  });
}

function textOutput(name: string, text: string, range: ExcerptRange): ToolOutput {
  const result = excerpt(name, text, range);
  return "problem" in result ? errorOutput(result.problem) : result;
}

function attachmentOutput(subject: string, bytes: Uint8Array, attachment: Attachment): ToolOutput {
  const problem = attachmentProblem(attachment.mediaType, bytes.length);
  return problem === undefined
    ? { text: `${subject}. It is attached.`, attachments: [attachment] }
    : errorOutput(`${subject}; ${problem}.`);
}

function documentKind(mediaType: string | undefined, bytes: Uint8Array): DocumentKind | undefined {
  if (mediaType === "application/pdf") return "pdf";
  return mediaType === "application/zip" && isDocx(bytes) ? "docx" : undefined;
}

async function documentText(
  kind: DocumentKind,
  bytes: Uint8Array,
  readDocument: ReadDocument,
  signal: AbortSignal,
): Promise<DocumentText> {
  const milliseconds = sandboxLimits.documentSeconds * 1000;
  const read = await withTimeout(milliseconds, signal, (limit) => readDocument(kind, bytes, limit));
  return read.timedOut ? { problem: `reading it took more than ${sandboxLimits.documentSeconds} seconds` } : read.value;
}

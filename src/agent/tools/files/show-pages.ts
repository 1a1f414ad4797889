import { createHash } from "node:crypto";
import { openText } from "../../../documents/encoding/decode-text.ts";
import { maxShownPages, type TakenPages } from "../../../documents/taken-pages.ts";
import type { TakePages } from "../../../documents/read-document.ts";
import { sandboxLimits } from "../../../sandbox/program-limits.ts";
import { attachmentProblem } from "../../attachment-limits.ts";
import type { ExcerptRange } from "./excerpt.ts";
import { errorOutput, type ToolContext, type ToolOutput } from "../tool.ts";

/** Input of `read_file`. */
export interface ReadInput extends ExcerptRange {
  name: string;
  part?: string;
  encoding?: string;
  /** Only of the tool that shows pages. */
  pages?: string;
}

const pdf = "application/pdf";

/**
 * Attaches pages of a PDF as they are: those that the input names, or all of a document that has few. Undefined: the file is to
 * be read as text, because it is no PDF, it has too many pages, or the input names lines or a part.
 */
export async function showPages(
  bytes: Uint8Array,
  input: ReadInput,
  takePages: TakePages,
  context: ToolContext,
): Promise<ToolOutput | undefined> {
  const { name, pages, ...others } = input;
  const isAlone = Object.keys(others).length === 0;
  if (pages === undefined && !isAlone) return undefined;
  if (!isAlone) return errorOutput("pages is used alone with name. For the text of pages, use part instead.");
  const content = openText(bytes);
  const isPdf = "mediaType" in content && content.mediaType === pdf;
  if (!isPdf || bytes.length > sandboxLimits.filesBytes) {
    if (pages === undefined) return undefined;
    const problem = isPdf
      ? `has more than ${sandboxLimits.filesBytes} bytes`
      : "is not a PDF, and only PDFs have pages";
    return errorOutput(`${name} ${problem}. Read it without pages.`);
  }
  const taken = await takePages(bytes, context.signal, pages);
  if ("problem" in taken) return pages === undefined ? undefined : errorOutput(`${name}: ${taken.problem}.`);
  const problem = problemOf(taken, (taken.content ?? bytes).length);
  if (problem === undefined) return attach(bytes, name, taken, context);
  return pages === undefined ? undefined : errorOutput(`${name}: ${problem}.`);
}

function problemOf({ first, last }: TakenPages, bytes: number): string | undefined {
  const shown = last - first + 1;
  if (shown > maxShownPages) {
    return `${first}-${last} are ${shown} pages, and at most ${maxShownPages} can be shown at a time`;
  }
  const problem = attachmentProblem(pdf, bytes);
  return problem === undefined
    ? undefined
    : `as a PDF of these pages, ${problem}; choose fewer pages, or read the text with part`;
}

/** Attaches the document itself, or a copy of the pages. Like every file that a model is shown, the copy is kept in the workspace. */
async function attach(
  bytes: Uint8Array,
  name: string,
  { count, first, last, content }: TakenPages,
  { files }: ToolContext,
): Promise<ToolOutput> {
  const shown = { mediaType: pdf, pages: last - first + 1 };
  const [noun, range] = first === last ? ["page", `${first}`] : ["pages", `${first}-${last}`];
  const subject = `${name}, ${noun} ${range} of ${count}`;
  if (!content) return { text: `${subject}: attached. ${asText}`, attachments: [{ name, ...shown }] };
  // Named by the document's content: the same pages of the same document are one file, and those of a changed one another.
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 8);
  const copy = `${name.replace(/\.pdf$/i, "")}-${noun}-${range}-${hash}.pdf`;
  const problem = await files.update(async () => {
    const known = (await files.list()).some((file) => file.name === copy);
    const refused = known ? undefined : await files.problemOf({ name: copy, size: content.length });
    if (!known && refused === undefined) await files.write(copy, content);
    return refused;
  });
  if (problem !== undefined)
    return errorOutput(`${subject} cannot be shown, because they are saved as a file: ${problem}`);
  return { text: `${subject}: attached, and saved as ${copy}. ${asText}`, attachments: [{ name: copy, ...shown }] };
}

const asText = "If it is not shown, read the text with part.";

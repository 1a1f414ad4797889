import { getDocumentProxy } from "unpdf";
import { type ContainedFile, escapeInvisible, uniqueNames } from "../parts.ts";

const maxListedFiles = 1_000;

/** Reads a file that is attached to a PDF, such as the data of an electronic invoice. Undefined: there is none of this name. */
export async function pdfAttachment(bytes: Uint8Array, name: string): Promise<Uint8Array | undefined> {
  const document = await getDocumentProxy(Uint8Array.from(bytes), { verbosity: 0 });
  try {
    const files = await attachedFiles(document);
    return await files.find((file) => file.name === name)?.read();
  } finally {
    await document.loadingTask.destroy();
  }
}

type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>;

/** The files that are attached to a whole document, not to a page. */
export async function attachedFiles(document: PdfDocument): Promise<ContainedFile[]> {
  const files = [...((await document.getAttachments()) ?? [])];
  const names = uniqueNames(files.map(([, { filename }]) => escapeInvisible(filename)));
  return files.map(([id], index) => ({
    name: names[index] ?? "",
    read: async () => (await document.getAttachmentContent(id)) ?? new Uint8Array(),
  }));
}

/** The names of attached files, as a text of lines. */
export function attachmentList(files: ContainedFile[], isContained: boolean): string[] {
  if (files.length === 0) return [];
  const how = isContained ? "can be read only after a program of run_python extracts the PDF" : "read one with part";
  const lines = files.slice(0, maxListedFiles).map(({ name }) => `- ${name}`);
  const more = files.length > maxListedFiles ? [`[${files.length - maxListedFiles} more]`] : [];
  return [[`Attached files (${how}):`, ...lines, ...more].join("\n")];
}

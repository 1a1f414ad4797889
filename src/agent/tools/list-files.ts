import { listFiles } from "./definitions.ts";
import { type FileInfo, fileLine, joinLimited } from "./files.ts";
import { builtInTool, type Tool } from "./tool.ts";

export const listFilesTool: Tool = builtInTool(listFiles, async (_input: object, { files }) => {
  const found = await files.list();
  return { text: found.length === 0 ? "The workspace is empty." : found.map(fileLine).join("\n") };
});

const filesNoteHeading = "Files in the workspace:";

/** Note for the model before its first step. Undefined for an empty workspace. */
export function filesNote(files: FileInfo[]): string | undefined {
  return files.length === 0 ? undefined : `${filesNoteHeading}\n${joinLimited(files.map(fileLine), "\n")}`;
}

export function isFilesNote(text: string): boolean {
  return text.startsWith(filesNoteHeading);
}

/** The file names in a result of `list_files` or in a files note. */
export function listedNames(text: string): string[] {
  return [...text.matchAll(/^(.*) \(\d+ bytes\)$/gm)].map((match) => match[1] ?? "");
}

import { listFiles } from "./definitions.ts";
import { builtInTool, type Tool } from "./tool.ts";

/** `list_files`. */
export const listFilesTool: Tool = builtInTool(listFiles, async (_input: object, { files }) => {
  const found = await files.list();
  return { text: found.length === 0 ? "The workspace is empty." : found.map(fileLine).join("\n") };
});

const filesNoteHeading = "Files in the workspace:";

/** Tells the model, before its first step, which files there are; undefined when there are none. */
export function filesNote(files: { name: string; size: number }[]): string | undefined {
  return files.length === 0 ? undefined : `${filesNoteHeading}\n${joinLimited(files.map(fileLine), "\n")}`;
}

export function isFilesNote(text: string): boolean {
  return text.startsWith(filesNoteHeading);
}

/** The names in what `list_files` answered. */
export function listedNames(text: string): string[] {
  return [...text.matchAll(/^(.*) \(\d+ bytes\)$/gm)].map((match) => match[1] ?? "");
}

export function fileLine({ name, size }: { name: string; size: number }): string {
  return `${name} (${size} bytes)`;
}

/** At most 50 items: a list is to help, not to fill the context. */
export function joinLimited(items: string[], separator = ", "): string {
  if (items.length === 0) return "none";
  const more = items.length > 50 ? `${separator}and ${items.length - 50} more` : "";
  return items.slice(0, 50).join(separator) + more;
}

import { listFiles } from "./definitions.ts";
import { type FileInfo, fileLine, joinLimited } from "./files.ts";
import { builtInTool, type Tool } from "./tool.ts";

export const listFilesTool: Tool = builtInTool(listFiles, async (_input: object, { files }) => {
  const found = await files.list();
  return { text: found.length === 0 ? "The workspace is empty." : found.map(fileLine).join("\n") };
});

/** Note for the model before its first step. Undefined for an empty workspace. */
export function filesNote(files: FileInfo[]): string | undefined {
  return files.length === 0 ? undefined : `Files in the workspace:\n${joinLimited(files.map(fileLine), "\n")}`;
}

import { deleteFile } from "../definitions.ts";
import { findWritten } from "./find-name.ts";
import { fileLine, type Files, missingFile } from "./files.ts";
import { builtInTool, errorOutput, type Tool, type ToolOutput } from "../tool.ts";

export const deleteFileTool: Tool = builtInTool(deleteFile, (input: { name: string }, { files }) =>
  files.update(() => deleteNamed(input.name, files)),
);

async function deleteNamed(name: string, files: Files): Promise<ToolOutput> {
  const existing = await files.list();
  const found = findWritten(existing, name);
  if (!found) return errorOutput(missingFile(name, existing));
  const { file, note } = found;
  await files.remove(file.name);
  return { text: `Deleted ${fileLine(file)}.${note === undefined ? "" : ` ${note}`}` };
}

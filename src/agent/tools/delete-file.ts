import { deleteFile } from "./definitions.ts";
import { fileLine, type Files, missingFile } from "./files.ts";
import { builtInTool, errorOutput, type Tool, type ToolOutput } from "./tool.ts";

export const deleteFileTool: Tool = builtInTool(deleteFile, (input: { name: string }, { files }) =>
  files.update(() => deleteNamed(input.name, files)),
);

async function deleteNamed(name: string, files: Files): Promise<ToolOutput> {
  const existing = await files.list();
  const file = existing.find((each) => each.name === name);
  if (!file) return errorOutput(missingFile(name, existing));
  await files.remove(name);
  return { text: `Deleted ${fileLine(file)}.` };
}

import { listFiles, workspaceLimits } from "../definitions.ts";
import { type FileInfo, fileLine, joinLimited, type OtherFile } from "./files.ts";
import { compileGlob, globProblem, PatternError } from "./search-pattern.ts";
import { builtInTool, errorOutput, type Tool } from "../tool.ts";

export const listFilesTool: Tool = builtInTool(listFiles, async ({ glob }: { glob?: string }, { files }) => {
  const all = [...(await files.list()), ...(await files.others())].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  if (glob === undefined) return { text: all.length === 0 ? "The workspace is empty." : listText(all) };
  try {
    const matches = await compileGlob(glob);
    const found = all.filter(({ name }) => matches(name));
    return { text: found.length === 0 ? `No name of ${all.length} files matches ${glob}.` : listText(found) };
  } catch (error) {
    if (error instanceof PatternError) return errorOutput(globProblem(error));
    throw error;
  }
});

/** Note for the model before its first step. Undefined for an empty workspace. */
export function filesNote(files: FileInfo[]): string | undefined {
  return files.length === 0 ? undefined : `Files in the workspace:\n${joinLimited(files.map(fileLine), "\n")}`;
}

/** A line per file. Of many files: the first ones, and the folders of all. */
function listText(files: OtherFile[]): string {
  const max = workspaceLimits.listedFiles;
  const listed = files.slice(0, max).map(fileLine);
  if (files.length <= max) return listed.join("\n");
  const folders = [...Map.groupBy(files, ({ name }) => name.slice(0, name.lastIndexOf("/") + 1))];
  const counts = folders.map(([folder, inside]) => `${folder === "" ? "no folder" : folder}: ${inside.length} files`);
  const note = `[The first ${max} of ${files.length} files are above. To list others, set glob, such as reports/*.`;
  return `${listed.join("\n")}\n${note} Folders:\n${joinLimited(counts, "\n")}]`;
}

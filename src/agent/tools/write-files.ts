import { editFile, workspaceLimits, writeFile } from "./definitions.ts";
import { findFile } from "./find-file.ts";
import { filenameProblem, namesCollide } from "../../filenames.ts";
import { fileLine } from "./list-files.ts";
import { decodeText } from "../../documents/decode-text.ts";
import { withWriteLock } from "./write-lock.ts";
import { builtInTool, errorOutput, type Files, type Tool, type ToolOutput } from "./tool.ts";

/** `write_file`. */
export const writeFileTool: Tool = builtInTool(writeFile, (input: { name: string; content: string }, { files }) =>
  withWriteLock(files, () => writeText(input, files)),
);

async function writeText(input: { name: string; content: string }, files: Files): Promise<ToolOutput> {
  const content = new TextEncoder().encode(input.content);
  const problem =
    tooLarge(content.length, workspaceLimits.writeBytes) ?? newNameProblem(input.name, await files.list());
  if (problem !== undefined) return errorOutput(problem);
  await files.write(input.name, content);
  return { text: `Wrote ${fileLine({ name: input.name, size: content.length })}.` };
}

interface Edit {
  name: string;
  old_text: string;
  new_text: string;
  all?: boolean;
}

/**
 * `edit_file`. A byte order mark is kept; text in an old encoding becomes UTF-8. What is inserted beside the old text
 * would be there twice after a second time.
 */
export const editFileTool: Tool = {
  ...builtInTool(editFile, (input: Edit, { files }) => withWriteLock(files, () => editText(input, files))),
  effects: "cumulative",
};

async function editText(
  { name, old_text: old, new_text: replacement, all = false }: Edit,
  files: Files,
): Promise<ToolOutput> {
  const file = await findFile(files, name);
  if ("problem" in file) return errorOutput(file.problem);
  const text = decodeText(file.bytes);
  if ("binary" in text) return errorOutput(`${name} is ${text.binary}; only text files can be edited.`);
  if (old === "") return errorOutput("old_text is empty. Accepted: a part of the file, exactly as it is there.");
  if (old === replacement) return errorOutput("old_text and new_text are the same, so there is nothing to replace.");
  const pieces = text.text.split(old);
  const found = pieces.length - 1;
  if (found === 0) {
    return errorOutput(
      `${name} does not hold old_text. It has to be there exactly, white space and line ends included; ` +
        "read the part of the file that is to change.",
    );
  }
  if (found > 1 && !all) {
    return errorOutput(
      `${name} holds old_text ${found} times. Add lines around it until it is unique, or set all to true to ` +
        "replace all of them.",
    );
  }
  const mark = file.bytes[0] === 0xef && file.bytes[1] === 0xbb && file.bytes[2] === 0xbf ? "\ufeff" : "";
  const content = new TextEncoder().encode(mark + pieces.join(replacement));
  const problem = tooLarge(content.length, workspaceLimits.editBytes);
  if (problem !== undefined) return errorOutput(problem);
  await files.write(name, content);
  return {
    text: `Replaced ${found === 1 ? "1 place" : `${found} places`} in ${fileLine({ name, size: content.length })}.`,
  };
}

/**
 * Why a file can't be written under this name into a workspace with these files; undefined when it can. Whoever makes
 * several files at once adds each accepted one to `existing`.
 */
export function newNameProblem(name: string, existing: { name: string }[]): string | undefined {
  const problem = filenameProblem(name);
  if (problem !== undefined) return problem;
  if (existing.some((file) => file.name === name)) return undefined;
  const twin = existing.find((file) => namesCollide(file.name, name));
  if (twin) return `The name differs from the existing ${twin.name} only in case; use that name, or another.`;
  if (existing.length < workspaceLimits.files) return undefined;
  return (
    `The workspace has ${existing.length} files, and at most ${workspaceLimits.files} are accepted. ` +
    "Replace a file that is there instead."
  );
}

function tooLarge(bytes: number, max: number): string | undefined {
  if (bytes <= max) return undefined;
  return `The content has ${bytes} bytes of UTF-8; at most ${max} are accepted. Write several smaller files.`;
}

import { decodeText } from "../../documents/decode-text.ts";
import { editFile, workspaceLimits, writeFile } from "./definitions.ts";
import { fileLine, type Files, findFile } from "./files.ts";
import { builtInTool, errorOutput, type Tool, type ToolOutput } from "./tool.ts";

export const writeFileTool: Tool = builtInTool(writeFile, (input: { name: string; content: string }, { files }) =>
  files.update(() => writeText(input, files)),
);

async function writeText(input: { name: string; content: string }, files: Files): Promise<ToolOutput> {
  const content = new TextEncoder().encode(input.content);
  const problem =
    sizeProblem(content.length, workspaceLimits.writeBytes) ??
    (await files.problemOf({ name: input.name, size: content.length }));
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

/** Keeps a byte order mark and converts other encodings to UTF-8. */
export const editFileTool: Tool = builtInTool(editFile, (input: Edit, { files }) =>
  files.update(() => editText(input, files)),
);

async function editText(
  { name, old_text: old, new_text: replacement, all = false }: Edit,
  files: Files,
): Promise<ToolOutput> {
  const large = (await files.list()).find((file) => file.name === name && file.size > workspaceLimits.editBytes);
  if (large) {
    const limit = `edit_file changes files of at most ${workspaceLimits.editBytes} bytes`;
    return errorOutput(`${fileLine(large)} is too large: ${limit}. Write the changed part to a new file.`);
  }
  const file = await findFile(files, name);
  if ("problem" in file) return errorOutput(file.problem);
  const text = decodeText(file.bytes);
  if ("binary" in text) return errorOutput(`${name} is ${text.binary}; only text files can be edited.`);
  if (old === "") return errorOutput("old_text is empty. Accepted: a part of the file, copied exactly.");
  if (old === replacement) return errorOutput("old_text and new_text are the same. There is nothing to replace.");
  const pieces = text.text.split(old);
  const matches = pieces.length - 1;
  if (matches === 0) {
    return errorOutput(
      `${name} does not contain old_text. It must match exactly, including white space and line ends. ` +
        "Read the part of the file to change first.",
    );
  }
  if (matches > 1 && !all) {
    return errorOutput(
      `${name} contains old_text ${matches} times. Add surrounding lines until it is unique, or set all to true to ` +
        "replace every occurrence.",
    );
  }
  const mark = file.bytes[0] === 0xef && file.bytes[1] === 0xbb && file.bytes[2] === 0xbf ? "\ufeff" : "";
  const before = mark + text.text;
  // Computed before the texts are joined: four million matches of 1,000 characters would exhaust the memory.
  const size = Buffer.byteLength(before) + matches * (Buffer.byteLength(replacement) - Buffer.byteLength(old));
  const problem = sizeProblem(size, workspaceLimits.editBytes) ?? (await files.problemOf({ name, size }));
  if (problem !== undefined) return errorOutput(problem);
  const content = new TextEncoder().encode(mark + pieces.join(replacement));
  await files.write(name, content);
  const count = matches === 1 ? "1 occurrence" : `${matches} occurrences`;
  const guess = text.guessed === undefined ? "" : ` It was read as ${text.guessed}, a guess, and is UTF-8 now.`;
  return { text: `Replaced ${count} in ${fileLine({ name, size: content.length })}.${guess}` };
}

function sizeProblem(bytes: number, max: number): string | undefined {
  if (bytes <= max) return undefined;
  return `The content has ${bytes} bytes of UTF-8; at most ${max} are accepted. Write several smaller files.`;
}

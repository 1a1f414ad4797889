import { type DecodedFile, decodeText } from "../../../documents/encoding/decode-text.ts";
import { encodeText } from "../../../documents/encoding/encode-text.ts";
import { damagePlaces } from "../../../documents/encoding/utf8-damage.ts";
import { editFile, workspaceLimits, writeFile } from "../definitions.ts";
import { planEdit } from "./edit-text.ts";
import { findName, findWritten } from "./find-name.ts";
import { fileLine, type Files, findFile } from "./files.ts";
import { builtInTool, errorOutput, type Tool, type ToolOutput } from "../tool.ts";

export const writeFileTool: Tool = builtInTool(writeFile, (input: { name: string; content: string }, { files }) =>
  files.update(() => writeText(input, files)),
);

async function writeText(input: { name: string; content: string }, files: Files): Promise<ToolOutput> {
  const same = findWritten(await files.list(), input.name);
  const name = same?.file.name ?? input.name;
  const content = new TextEncoder().encode(input.content);
  const problem =
    sizeProblem(content.length, workspaceLimits.writeBytes) ?? (await files.problemOf({ name, size: content.length }));
  if (problem !== undefined) return errorOutput(problem);
  await files.write(name, content);
  return { text: withNote(`Wrote ${fileLine({ name, size: content.length })}.`, same?.note) };
}

interface Edit {
  name: string;
  old_text: string;
  new_text: string;
  all?: boolean;
}

/** Replaces a part of a file. The bytes of the rest stay as they are. */
export const editFileTool: Tool = builtInTool(editFile, (input: Edit, { files }) =>
  files.update(() => editText(input, files)),
);

async function editText(
  { name: wanted, old_text: old, new_text: replacement, all = false }: Edit,
  files: Files,
): Promise<ToolOutput> {
  const large = findName(await files.list(), wanted)?.file;
  if (large && large.size > workspaceLimits.editBytes) {
    const limit = `edit_file changes files of at most ${workspaceLimits.editBytes} bytes`;
    return errorOutput(`${fileLine(large)} is too large: ${limit}. Write the changed part to a new file.`);
  }
  const file = await findFile(files, wanted);
  if ("problem" in file) return errorOutput(file.problem);
  const { name } = file;
  const text = exactText(name, file.bytes);
  if ("problem" in text) return errorOutput(text.problem);
  if (old === "") return errorOutput("old_text is empty. Accepted: a part of the file, copied exactly.");
  if (old === replacement) return errorOutput("old_text and new_text are the same. There is nothing to replace.");
  const plan = planEdit(name, text.text, { old, new: replacement, all });
  if ("problem" in plan) return errorOutput(plan.problem);
  const [replaced, inserted] = [plan.replaced, plan.replacement].map((each) => encodeText(each, text.encoding));
  if (!inserted || "missing" in inserted) return errorOutput(cannotEncode(name, text.encoding, inserted?.missing));
  // Computed before the texts are joined: four million matches of 1,000 characters would exhaust the memory.
  const matches = plan.pieces.length - 1;
  const replacedBytes = replaced && "bytes" in replaced ? replaced.bytes.length : 0;
  const size = file.bytes.length + matches * (inserted.bytes.length - replacedBytes);
  const problem =
    sizeProblem(size, workspaceLimits.editBytes, text.encoding) ?? (await files.problemOf({ name, size }));
  if (problem !== undefined) return errorOutput(problem);
  const edited = encodeText(plan.pieces.join(plan.replacement), text.encoding);
  if ("missing" in edited) return errorOutput(cannotEncode(name, text.encoding, edited.missing));
  const content = Buffer.concat([file.bytes.subarray(0, text.markBytes), edited.bytes]);
  await files.write(name, content);
  const count = matches === 1 ? "1 occurrence" : `${matches} occurrences`;
  const ignoring = plan.ignored.length === 0 ? "" : `, matched ignoring ${plan.ignored.join(", ")}`;
  const guess = text.guessed === undefined ? [] : [`Its encoding was kept: ${text.guessed}, a guess.`];
  const done = `Replaced ${count} in ${fileLine({ name, size: content.length })}${ignoring}.`;
  return { text: withNote([done, ...plan.notes, ...guess].join(" "), file.note) };
}

function withNote(text: string, note: string | undefined): string {
  return note === undefined ? text : `${text} ${note}`;
}

type TextContent = Exclude<DecodedFile, { binary: string }>;

/** The text of a file, which encodes to exactly its bytes: an edit leaves the rest as it was. */
function exactText(name: string, bytes: Uint8Array): TextContent | { problem: string } {
  const text = decodeText(bytes);
  if ("binary" in text) return { problem: `${name} is ${text.binary}; only text files can be edited.` };
  if (text.damage) {
    const places = damagePlaces(text.damage);
    return {
      problem: `${name} is UTF-8, but has bytes that are not: ${places}. It was not changed. Correct these bytes first, or write the file anew with write_file.`,
    };
  }
  const encoded = encodeText(text.text, text.encoding);
  const isExact = "bytes" in encoded && Buffer.compare(encoded.bytes, bytes.subarray(text.markBytes)) === 0;
  if (isExact) return text;
  return {
    problem: `${name} has bytes that ${text.encoding} cannot write back as they are, so it was not changed. Write the file anew with write_file, which makes it UTF-8.`,
  };
}

function cannotEncode(name: string, encoding: string, missing = ""): string {
  const code = `U+${(missing.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
  return (
    `${name} is ${encoding}, which has no ${JSON.stringify(missing)} (${code}), so it was not changed. Use other characters, or write ` +
    "the whole file with write_file, which makes it UTF-8."
  );
}

function sizeProblem(bytes: number, max: number, encoding = "utf-8"): string | undefined {
  if (bytes <= max) return undefined;
  return `The content has ${bytes} bytes of ${encoding === "utf-8" ? "UTF-8" : encoding}; at most ${max} are accepted. Write several smaller files.`;
}

import { type Draft, isObject, type Json } from "./json.ts";

/** Characters of a line. What fits is one line, as in the agent files of `examples/`. */
const width = 66;

/** A draft, or a list in it, as the text of an agent file. */
export function formatDraft(draft: Draft | Json[]): string {
  return formatted(draft, "", 0);
}

/** `before`: characters that are on the line already. */
function formatted(value: Json, indent: string, before: number): string {
  const flat = inOneLine(value);
  const isRoot = indent === "" && before === 0;
  if (!isRoot && indent.length + before + flat.length <= width) return flat;
  const inner = `${indent}  `;
  if (Array.isArray(value) && value.length > 0) {
    const isSimple = value.every((entry) => typeof entry !== "object" || entry === null);
    const lines = isSimple
      ? filled(
          value.map((entry) => JSON.stringify(entry)),
          inner,
        )
      : value.map((entry) => `${inner}${formatted(entry, inner, 0)}`).join(",\n");
    return `[\n${lines}\n${indent}]`;
  }
  if (isObject(value) && Object.keys(value).length > 0) {
    const lines = Object.entries(value).map(([name, field]) => {
      const start = `${JSON.stringify(name)}: `;
      return `${inner}${start}${formatted(field, inner, start.length)}`;
    });
    return `{\n${lines.join(",\n")}\n${indent}}`;
  }
  return flat;
}

/** As many entries per line as fit. */
function filled(entries: string[], indent: string): string {
  const lines: string[] = [];
  let line = "";
  entries.forEach((entry, index) => {
    const next = index === entries.length - 1 ? entry : `${entry},`;
    if (line !== "" && indent.length + line.length + 1 + next.length > width) {
      lines.push(line);
      line = next;
    } else line = line === "" ? next : `${line} ${next}`;
  });
  return [...lines, line].map((each) => `${indent}${each}`).join("\n");
}

function inOneLine(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(inOneLine).join(", ")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, field]) => `${JSON.stringify(name)}: ${inOneLine(field)}`);
  return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
}

/** Reads the text of an agent file. */
export function parseDraft(text: string): { draft: Draft } | { problem: string } {
  const read = parseObject(text);
  if ("problem" in read) return read;
  const { $schema: _, ...draft } = read.value; // for text editors; it is not stored
  return { draft };
}

/** Reads the text of a JSON object. */
export function parseObject(text: string): { value: Draft } | { problem: string } {
  const read = parseJson(text);
  if ("problem" in read) return read;
  return isObject(read.value) ? { value: read.value } : { problem: "One JSON object is expected: { … }" };
}

/** Reads the text of a JSON list. */
export function parseList(text: string): { value: Json[] } | { problem: string } {
  const read = parseJson(text);
  if ("problem" in read) return read;
  return Array.isArray(read.value) ? { value: read.value } : { problem: "A JSON list is expected: [ … ]" };
}

function parseJson(text: string): { value: Json } | { problem: string } {
  try {
    return { value: JSON.parse(text) as Json };
  } catch (error) {
    return { problem: `Not valid JSON${place(text, error)}` };
  }
}

/** Where the parser stopped. Chromium and Firefox word it differently; Safari does not say it. */
function place(text: string, error: unknown): string {
  const message = error instanceof Error ? error.message : "";
  const line = /line (\d+)/.exec(message)?.[1];
  const position = /position (\d+)/.exec(message)?.[1];
  if (line !== undefined) return ` in line ${line}.`;
  if (position !== undefined) return ` in line ${text.slice(0, Number(position)).split("\n").length}.`;
  return message.includes("end of JSON") ? ": it ends too early." : ".";
}

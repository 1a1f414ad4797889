import type { Message } from "../../model.ts";

/**
 * What a conversation keeps of its summarized part: the model's summary, and the user's inputs word for word, oldest first.
 * `results`: lines that name results of tools. Absent: none.
 */
export interface Memory {
  summary: string;
  results?: string[];
  inputs: string[];
}

const prefix = "Summary of the earlier conversation:\n";
const header = "Inputs of the user before, word for word, as JSON:";

const resultsHeader =
  "Results of tools that are left out, as JSON. read_result returns one by its number, and lists those of a turn, such as 1:";

/** The text of a summary. Its last line has the inputs, so that what a model writes cannot pass for one. */
export function memoryText({ summary, results = [], inputs }: Memory): string {
  const own = summary.replaceAll(header, "").replaceAll(resultsHeader, "");
  const named = results.length === 0 ? "" : `\n\n${resultsHeader}\n${JSON.stringify(results)}`;
  return `${own}${named}\n\n${header}\n${JSON.stringify(inputs)}`;
}

/** Reads a text of `memoryText`. Summaries of earlier releases have no inputs. */
export function readMemory(text: string): Memory {
  const [before, inputs] = lastLine(text, header);
  const [summary, results] = inputs ? lastLine(before, resultsHeader) : [before, undefined];
  return { summary, ...(results && { results }), inputs: inputs ?? [] };
}

/** The text before a heading that only one line follows, and the list in this line. */
function lastLine(text: string, heading: string): [before: string, list?: string[]] {
  const at = text.lastIndexOf(`\n\n${heading}\n`);
  const last = text.slice(at + heading.length + 3);
  if (at === -1 || last.includes("\n")) return [text];
  return [text.slice(0, at), JSON.parse(last) as string[]];
}

/** The message that replaces summarized messages, of this turn or earlier ones. */
export function summaryMessage(text: string): Message {
  return { role: "user", text: prefix + text, note: true };
}

/** What a message of `summaryMessage` keeps. Undefined for other messages. */
export function memoryIn(message: Message | undefined): Memory | undefined {
  if (message?.role !== "user" || !message.note || !message.text.startsWith(prefix)) return undefined;
  return readMemory(message.text.slice(prefix.length));
}

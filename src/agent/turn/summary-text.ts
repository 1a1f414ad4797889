import type { Message } from "../model.ts";

/** What a conversation keeps of its summarized part: the model's summary, and the user's inputs word for word, oldest first. */
export interface Memory {
  summary: string;
  inputs: string[];
}

const prefix = "Summary of the earlier conversation:\n";
const header = "Inputs of the user before, word for word, as JSON:";

/** The text of a summary. Its last line has the inputs, so that what a model writes cannot pass for one. */
export function textOf({ summary, inputs }: Memory): string {
  return `${summary.replaceAll(header, "")}\n\n${header}\n${JSON.stringify(inputs)}`;
}

/** Reads a text of `textOf`. Summaries of earlier releases have no inputs. */
export function memoryIn(text: string): Memory {
  const at = text.lastIndexOf(`\n\n${header}\n`);
  const last = text.slice(at + header.length + 3);
  if (at === -1 || last.includes("\n")) return { summary: text, inputs: [] };
  return { summary: text.slice(0, at), inputs: JSON.parse(last) as string[] };
}

/** The message that replaces summarized messages, of this turn or earlier ones. */
export function summaryMessage(text: string): Message {
  return { role: "user", text: prefix + text, note: true };
}

/** What a message of `summaryMessage` keeps. Undefined for other messages. */
export function memoryOf(message: Message | undefined): Memory | undefined {
  if (message?.role !== "user" || !message.note || !message.text.startsWith(prefix)) return undefined;
  return memoryIn(message.text.slice(prefix.length));
}

import { createHash } from "node:crypto";
import type { ChatMessage, ScriptedAnswer } from "./model-server.ts";

/** The agent whose change is tried. */
export const clerk = {
  name: "Order clerk",
  instructions: "Find the total of the order. Write it to reply.md, and answer with it.",
  tools: ["list_files", "read_file", "write_file"],
  limits: { steps: 10, tokens: 100_000, seconds: 60 },
  prices: { input: 3, output: 15 },
};

/** The change. It breaks the orders with cents, and saves a step where the input names the file. */
export const draft = {
  ...clerk,
  instructions: `${clerk.instructions} Round it to whole dollars. If the input names the file, read it without listing the files.`,
};

/** A run to record. `name`: as in the list of runs. */
export interface RecordedOrder {
  name: string;
  input: string;
  file: string;
  content: string;
}

const totals = ["420", "75", "89.90", "640", "18", "999", "250", "1310.50", "64", "302"];
const namedInInput = 6;

/** Ten orders: two with cents, and one whose input names its file. */
export const recordedOrders: RecordedOrder[] = totals.map((total, index) => {
  const number = String(index + 1).padStart(2, "0");
  const file = `order-${number}.csv`;
  return {
    name: `Order ${number}`,
    input: index + 1 === namedInInput ? `Check the order in ${file}.` : "Check the order.",
    file,
    content: `item,amount\ntotal,${total}\n`,
  };
});

/** What the trial has to find. */
export const expected = {
  different: recordedOrders.filter(({ content }) => content.includes(".")).map(({ name }) => name),
  cheaper: recordedOrders.filter(({ input }) => input.includes(".csv")).map(({ name }) => name),
};

const openings = ["The total is", "It comes to", "The order adds up to"];

/**
 * A model that follows the instructions. `varies`: it chooses its words anew each time, as models do. The choice depends on how often
 * a conversation was had, so that the demo ends the same way each time.
 */
export function orderModel(): { answer: (messages: ChatMessage[]) => ScriptedAnswer; varies: boolean } {
  const had = new Map<string, number>();
  const model = {
    varies: false,

    answer(messages: ChatMessage[]): ScriptedAnswer {
      const instructions = textOf(messages.filter(({ role }) => role === "system"));
      const input = textOf(messages.filter(({ role }) => role === "user"));
      const results = textOf(messages.filter(({ role }) => role === "tool"));
      const called = new Set(messages.flatMap(({ tool_calls = [] }) => tool_calls.map((call) => call.function.name)));
      const [, named] = (instructions.includes("without listing") && / in (order-\d+\.csv)\./.exec(input)) || [];
      const file = named ?? /order-\d+\.csv/.exec(results)?.[0];
      if (file === undefined) return { calls: [{ name: "list_files", input: {} }] };
      if (!called.has("read_file")) return { calls: [{ name: "read_file", input: { name: file } }] };
      const exact = /total,([\d.]+)/.exec(results)?.[1] ?? "unknown";
      const total = instructions.includes("Round") ? String(Math.round(Number(exact))) : exact;
      const content = `${file}: $${total}\n`;
      if (!called.has("write_file")) return { calls: [{ name: "write_file", input: { name: "reply.md", content } }] };
      return { text: `${opening(`${instructions} ${file}`)} $${total}.` };
    },
  };

  function opening(conversation: string): string | undefined {
    if (!model.varies) return openings[0];
    const times = (had.get(conversation) ?? 0) + 1;
    had.set(conversation, times);
    const digest = createHash("sha256").update(`${conversation} ${times}`).digest();
    return openings[digest.readUInt8(0) % openings.length];
  }

  return model;
}

function textOf(messages: ChatMessage[]): string {
  return messages.map(({ content }) => (typeof content === "string" ? content : JSON.stringify(content))).join("\n");
}

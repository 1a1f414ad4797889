import { pause } from "../../async/backoff.ts";
import type { Message, Model, ModelAnswer, ModelRequest, ToolCall, ToolResult } from "../model.ts";
import { isFilesNote, listedNames } from "../tools/list-files.ts";

const maxSteps = 100;
const maxDelay = 10_000; // milliseconds
const maxFiles = 10;
const scratchFile = "demo-scratch.txt";

/**
 * A model without network and key: it lists the files of the workspace, reads the first ten of them at the same time,
 * and answers with what it found: sizes, line and word counts, first lines. Without files it answers at once.
 *
 * Everything it does follows from the request, so that a turn can be continued anywhere and ends alike. A line
 * `demo: steps=12 delay=200` in the input makes it take at least 12 steps with tools (at most 100; those beyond listing
 * and reading write and read `demo-scratch.txt` in turns) and wait 200 milliseconds before each answer (at most
 * 10,000), for trying out what happens to a run in progress.
 */
export const demo: Model = async (request) => {
  request.signal.throwIfAborted();
  const conversation = currentTurn(request.messages);
  const { steps, delay } = directive(conversation.input);
  if (delay > 0) await pause(delay, request.signal);
  const calls = nextCalls(request, conversation, steps);
  const text = calls.length > 0 ? "" : report(conversation);
  return {
    answer: {
      text,
      toolCalls: calls,
      finishReason: calls.length > 0 ? "tool-calls" : "stop",
      usage: {
        inputTokens: tokens(JSON.stringify([request.instructions, request.messages])),
        outputTokens: tokens(text + JSON.stringify(calls)),
      },
    } satisfies ModelAnswer,
  };
};

interface DemoTurn {
  input: string;
  hasFiles: boolean;
  /** Steps that this turn has taken so far, and what the tools answered to them, oldest first. */
  steps: number;
  results: ToolResult[];
}

function currentTurn(messages: Message[]): DemoTurn {
  const start = messages.findLastIndex((message) => message.role === "user" && !message.note);
  const first = messages[start];
  const later = messages.slice(start + 1);
  return {
    input: first?.role === "user" ? first.text : "",
    hasFiles: later.some((message) => message.role === "user" && isFilesNote(message.text)),
    steps: later.filter((message) => message.role === "assistant").length,
    results: later.flatMap((message) => (message.role === "tool" ? message.results : [])),
  };
}

function directive(input: string): { steps: number; delay: number } {
  const line = /^\s*demo:(.*)$/im.exec(input)?.[1] ?? "";
  const number = (name: string, max: number): number =>
    Math.min(Number(new RegExp(`\\b${name}=(\\d+)`, "i").exec(line)?.[1] ?? 0), max);
  return { steps: number("steps", maxSteps), delay: number("delay", maxDelay) };
}

function nextCalls(request: ModelRequest, turn: DemoTurn, steps: number): ToolCall[] {
  const can = (name: string): boolean => request.tools.some((tool) => tool.name === name);
  const call = (name: string, input: object, index = 0): ToolCall => ({
    id: `demo-${turn.steps + 1}-${index + 1}`,
    name,
    input,
  });
  const reading = turn.hasFiles && can("list_files");
  if (reading && turn.steps === 0) return [call("list_files", {})];
  const names = filesFound(turn);
  if (reading && turn.steps === 1 && names.length > 0 && can("read_file")) {
    return names.slice(0, maxFiles).map((name, index) => call("read_file", { name, limit: 500 }, index));
  }
  if (turn.steps >= steps || !can("write_file") || !can("read_file")) return [];
  const written = turn.results.at(-1)?.name === "write_file";
  if (written) return [call("read_file", { name: scratchFile })];
  return [call("write_file", { name: scratchFile, content: `Step ${turn.steps + 1} of ${steps}.\n` })];
}

function filesFound({ results }: DemoTurn): string[] {
  return listedNames(results.find((result) => result.name === "list_files")?.text ?? "");
}

function report(turn: DemoTurn): string {
  const { input, results, steps } = turn;
  const listing = results.find((result) => result.name === "list_files")?.text;
  const reads = results.filter((result) => result.name === "read_file");
  const files = filesFound(turn);
  const read = files.slice(0, maxFiles).flatMap((name, index) => describe(name, reads[index]));
  return [
    `The input has ${count(input.length, "character")} and ${count(words(input), "word")}: "${clipped(input)}"`,
    listing === undefined
      ? "I looked at no files."
      : `The workspace has ${count(files.length, "file")}:\n${listing}\n\n${read.join("\n\n")}`,
    ...(steps > 0 ? [`I took ${count(steps, "step")} with tools before this answer.`] : []),
    "This is the demo model: it calls no provider and does not understand the input. For real answers, set a model: " +
      "npm run -s admin -- org set-model --help, or start with npm start -- --model openai-compatible " +
      "--model-base-url URL --model-name NAME.",
  ].join("\n\n");
}

/** What `read_file` answered: a heading line, the lines of the file, and perhaps a note in brackets that there is more. */
function describe(name: string, result: ToolResult | undefined): string[] {
  if (!result) return [];
  if (result.error || result.attachments) return [`${name}: ${result.text}`];
  const [heading = "", ...rest] = result.text.split("\n");
  const more = /^\[(More|Line \d+ is cut): .*\]$/.test(rest.at(-1) ?? "");
  const lines = more ? rest.slice(0, -1) : rest;
  const total = Number(/ of (\d+)$/.exec(heading)?.[1] ?? 0);
  const inWords = `${more ? "at least " : ""}${count(words(lines.join("\n")), "word")}`;
  return [
    `${name}: ${count(total, "line")}, ${inWords}. It begins:\n` +
      lines
        .slice(0, 3)
        .map((line) => `> ${clipped(line)}`)
        .join("\n"),
  ];
}

function clipped(text: string): string {
  const characters = Array.from(text.slice(0, 400));
  return characters.length > 200 ? `${characters.slice(0, 200).join("")}…` : text;
}

function words(text: string): number {
  return text.match(/\S+/g)?.length ?? 0;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** About four characters to a token, as with common models. */
function tokens(text: string): number {
  return Math.ceil(text.length / 4);
}

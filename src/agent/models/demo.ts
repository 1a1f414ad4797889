import { pause } from "../../async/backoff.ts";
import { commandLine } from "../../command-line.ts";
import { sampleResult } from "./demo-result.ts";
import type { Message, Model, ModelAnswer, ModelRequest, ToolCall, ToolDefinition, ToolResult } from "../model.ts";

const maxSteps = 100;
const maxDelayMs = 10_000;
const maxFiles = 10;
const maxCounted = 1_000_000;
const scratchFile = "demo-scratch.txt";

/**
 * A model without network and API key. It lists the workspace files, reads the first ten in parallel, and reports their
 * sizes, line and word counts and first lines. Without files it responds at once. A result of a schema has samples as values.
 * If programs of callers run tools for the agent, it calls the first of these once per turn, with samples as arguments.
 *
 * Responses depend only on the request, so that a resumed turn ends the same way. For trying out a run in progress, the
 * input can contain a line `demo: steps=12 delay=200`:
 *
 * - `steps`: least number of steps with tools, at most 100. Further steps write and read `demo-scratch.txt`.
 * - `delay`: milliseconds before each response, at most 10,000.
 *
 * A line `demo: files=1` of the instructions makes it read at most so many files, to see what a change of an agent does.
 */
export const demo: Model = async (request) => {
  request.signal.throwIfAborted();
  const turn = currentTurn(request.messages);
  const { steps, delay } = parseDirective(turn.input);
  const most = mostFiles(request.instructions);
  if (delay > 0) await pause(delay, request.signal);
  const calls = nextCalls(request, turn, { steps, most });
  const { result } = request;
  const last = (): string =>
    result ? JSON.stringify(sampleResult(result), null, 2) : report(turn, clientToolOf(request), most);
  const text = calls.length > 0 ? "" : last();
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
  /** Steps of this turn so far. */
  steps: number;
  /** Their tool results, oldest first. */
  results: ToolResult[];
}

function currentTurn(messages: Message[]): DemoTurn {
  const start = messages.findLastIndex((message) => message.role === "user" && !message.note);
  const first = messages[start];
  const later = messages.slice(start + 1);
  return {
    input: first?.role === "user" ? first.text : "",
    hasFiles: later.some((message) => message.role === "user" && fileNames(message.text).length > 0),
    steps: later.filter((message) => message.role === "assistant").length,
    results: later.flatMap((message) => (message.role === "tool" ? message.results : [])),
  };
}

function parseDirective(input: string): { steps: number; delay: number } {
  const number = directiveIn(input);
  return { steps: number("steps", maxSteps, 0), delay: number("delay", maxDelayMs, 0) };
}

/** Files that the model reads. */
function mostFiles(instructions: string): number {
  return directiveIn(instructions)("files", maxFiles, maxFiles);
}

/** Reads numbers of the line `demo: …` of a text. */
function directiveIn(text: string) {
  // Not \s, which matches line breaks: from each of them it would read all that follow.
  const line = /^[ \t]*demo:(.*)$/im.exec(text)?.[1];
  return (name: string, max: number, otherwise: number): number => {
    if (line === undefined) return otherwise;
    return Math.min(Number(new RegExp(`\\b${name}=(\\d+)`, "i").exec(line)?.[1] ?? otherwise), max);
  };
}

function nextCalls(
  request: ModelRequest,
  turn: DemoTurn,
  { steps, most }: { steps: number; most: number },
): ToolCall[] {
  const hasTool = (name: string): boolean => request.tools.some((tool) => tool.name === name);
  const call = (name: string, input: object, index = 0): ToolCall => ({
    id: `demo-${turn.steps + 1}-${index + 1}`,
    name,
    input,
  });
  const clientTool = clientToolOf(request);
  const isCalled = turn.results.some(({ name }) => name === clientTool?.name);
  const last = clientTool && !isCalled ? [call(clientTool.name, sampleResult(clientTool.input) as object)] : [];
  const readsFiles = turn.hasFiles && hasTool("list_files");
  if (readsFiles && turn.steps === 0) return [call("list_files", {})];
  const names = listedFiles(turn).slice(0, most);
  if (readsFiles && turn.steps === 1 && names.length > 0 && hasTool("read_file")) {
    return names.map((name, index) => call("read_file", { name, limit: 500 }, index));
  }
  if (turn.steps >= steps || !hasTool("write_file") || !hasTool("read_file")) return last;
  const wroteLast = turn.results.at(-1)?.name === "write_file";
  if (wroteLast) return [call("read_file", { name: scratchFile })];
  return [call("write_file", { name: scratchFile, content: `Step ${turn.steps + 1} of ${steps}.\n` })];
}

function clientToolOf({
  tools,
  clientTools = [],
}: Pick<ModelRequest, "tools" | "clientTools">): ToolDefinition | undefined {
  return tools.find(({ name }) => clientTools.includes(name));
}

function listedFiles({ results }: DemoTurn): string[] {
  return fileNames(results.find((result) => result.name === "list_files")?.text ?? "");
}

/** The names in a list of files, as a tool result or a note shows it to a model. */
function fileNames(text: string): string[] {
  return [...text.matchAll(/^(.*) \(\d+ bytes\)$/gm)].map((match) => match[1] ?? "");
}

function report(turn: DemoTurn, clientTool: ToolDefinition | undefined, most: number): string {
  const { input, results, steps } = turn;
  const listing = results.find((result) => result.name === "list_files")?.text;
  const reads = results.filter((result) => result.name === "read_file");
  const returned = results.filter(({ name }) => name === clientTool?.name);
  const files = listedFiles(turn);
  const read = files.slice(0, most).flatMap((name, index) => describe(name, reads[index]));
  return [
    `The input has ${count(input.length, "character")} and ${words(input)}: "${clipped(input)}"`,
    listing === undefined
      ? "I read no files."
      : `The workspace has ${count(files.length, "file")}:\n${listing}\n\n${read.join("\n\n")}`,
    ...returned.map(({ name, text }) => `${name} returned: "${clipped(text)}"`),
    ...(steps > 0 ? [`I took ${count(steps, "step")} with tools before this answer.`] : []),
    "This is the demo model: it calls no provider and does not understand the input. For real answers, set a model: " +
      `${commandLine("admin", "org set-model --help")}, or start with ` +
      `${commandLine("start", "--model openai-compatible --model-base-url URL --model-name NAME")}.`,
  ].join("\n\n");
}

/** Describes a result of `read_file`: a heading, the lines of the file, and a note in brackets if there are more. */
function describe(name: string, result: ToolResult | undefined): string[] {
  if (!result) return [];
  if (result.error || result.attachments) return [`${name}: ${result.text}`];
  const [heading = "", ...rest] = result.text.split("\n");
  const more = /^\[(More|Line \d+ is cut): .*\]$/.test(rest.at(-1) ?? "");
  const lines = more ? rest.slice(0, -1) : rest;
  const total = Number(/ of (\d+)$/.exec(heading)?.[1] ?? 0);
  return [
    `${name}: ${count(total, "line")}, ${words(lines.join("\n"), more)}. It begins:\n` +
      lines
        .slice(0, 3)
        .map((line) => `> ${clipped(line)}`)
        .join("\n"),
  ];
}

function clipped(text: string): string {
  if (text.length <= 200) return text;
  const characters = Array.from(text.slice(0, 400));
  return characters.length > 200 ? `${characters.slice(0, 200).join("")}…` : text;
}

/** Counts the words in the first million characters: 20 MB would take seconds. `more`: the text continues. */
function words(text: string, more = false): string {
  const counted = text.slice(0, maxCounted).match(/\S+/g)?.length ?? 0;
  return `${more || text.length > maxCounted ? "at least " : ""}${count(counted, "word")}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** An estimate: common models have about four characters per token. */
function tokens(text: string): number {
  return Math.ceil(text.length / 4);
}

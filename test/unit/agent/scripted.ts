import type { Message, Model, ModelAnswer, ModelOutcome, ModelRequest, ToolCall } from "../../../src/agent/model.ts";
import { semaphore } from "../../../src/async/semaphore.ts";
import type { JournalEntry } from "../../../src/agent/turn/journal.ts";
import { noUsage } from "../../../src/agent/turn/turn-limits.ts";
import { type ManifestFile, sha256Of } from "../../../src/agent/turn/files/manifest.ts";
import { SeenFiles } from "../../../src/agent/turn/files/seen-files.ts";
import { turnFiles } from "../../../src/agent/turn/files/turn-files.ts";
import type { TurnFiles, TurnFilesConfig } from "../../../src/agent/turn/files/workspace-types.ts";
import {
  type BuiltInToolChoice,
  type BuiltInToolDependencies,
  builtInTools,
  toolNames,
} from "../../../src/agent/tools/index.ts";
import { readDocument, takePages } from "../../../src/documents/read-document.ts";
import { defaultFileLimits } from "../../../src/agent/tools/files/file-limits.ts";
import type { Files } from "../../../src/agent/tools/files/files.ts";
import type { Tool } from "../../../src/agent/tools/tool.ts";
import type { TurnEvent, TurnInput, TurnPorts } from "../../../src/agent/turn/turn-types.ts";

/** The outcome of a successful model call. */
export function answer(text: string, toolCalls: ToolCall[] = [], more: Partial<ModelAnswer> = {}): ModelOutcome {
  const finishReason = toolCalls.length > 0 ? "tool-calls" : "stop";
  return { answer: { text, toolCalls, finishReason, usage: { inputTokens: 10, outputTokens: 5 }, ...more } };
}

export function call(id: string, name: string, input: unknown): ToolCall {
  return { id, name, input };
}

/** A model with these outcomes, selected by the number of answers in the conversation. Records its requests. */
export function scripted(outcomes: ModelOutcome[]): { model: Model; requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  const model: Model = async (request) => {
    requests.push({ ...request, messages: structuredClone(request.messages) });
    const outcome = outcomes[answersIn(request.messages)];
    if (!outcome) throw new Error(`the script has no answer ${answersIn(request.messages) + 1}`);
    return structuredClone(outcome);
  };
  return { model, requests };
}

/** A model that calls `list_files` while it is offered tools, and then returns `last`. */
export function endless(last: ModelOutcome, more: Partial<ModelAnswer> = {}): Model {
  let id = 0;
  return async ({ tools }) => (tools.length > 0 ? answer("", [call(`${++id}`, "list_files", {})], more) : last);
}

function answersIn(messages: Message[]): number {
  return messages.filter((message) => message.role === "assistant").length;
}

/** All built-in tools. Default: no sandbox, and documents are read in this process. */
export function allTools(dependencies: BuiltInToolDependencies = {}, choice: Partial<BuiltInToolChoice> = {}): Tool[] {
  return builtInTools({ tools: toolNames, ...choice }, { readDocument, takePages, ...dependencies });
}

/** An in-memory workspace for single tool calls. */
export function files(initial: Record<string, string | Uint8Array> = {}): Files & { content: Map<string, Uint8Array> } {
  const content = new Map(
    Object.entries(initial).map(([name, data]) => [name, typeof data === "string" ? Buffer.from(data) : data]),
  );
  const stored = () => [...content].map(([name, data]) => ({ name, size: data.length, sha256: sha256Of(data) }));
  const seen = () => new SeenFiles(stored());
  return {
    content,
    list: async () => seen().list(),
    problemOf: async (file) => seen().problemOf(file, defaultFileLimits, false),
    read: async (name) => content.get(name),
    write: async (name, data) => void content.set(name, data),
    remove: async (name) => void content.delete(name),
    stored: async () => stored(),
    adopt: async () => {
      throw new Error("this workspace has no store of contents");
    },
    others: async () => [],
    linkTarget: async () => undefined,
    room: async () => ({ bytes: Infinity, limit: "" }),
    release: () => {},
    update: semaphore(1),
  };
}

/** The files of a run before its turn, and a store of contents in memory, which restarts of the turn share. */
export interface Space {
  start: ManifestFile[];
  contents: Map<string, Uint8Array>;
}

export function spaceOf(initial: Record<string, string | Uint8Array> = {}): Space {
  const initialFiles = Object.entries(initial).map(([name, data]) => ({
    name,
    content: typeof data === "string" ? Buffer.from(data) : data,
  }));
  return {
    start: initialFiles.map(({ name, content }) => ({ name, size: content.length, sha256: sha256Of(content) })),
    contents: new Map(initialFiles.map(({ content }) => [sha256Of(content), content])),
  };
}

/** The workspace of a turn with this journal, in the order of recording. */
export function openFiles(
  { start, contents }: Space,
  journal: JournalEntry[] = [],
  more: Partial<TurnFilesConfig> = {},
): TurnFiles {
  return turnFiles({
    contents: {
      read: async (sha256) => contents.get(sha256),
      write: async (sha256, content) => void contents.set(sha256, content),
      remove: async (unused) => unused.forEach((sha256) => contents.delete(sha256)),
    },
    atStart: async () => start,
    changes: journal.flatMap((entry) => (entry.part === "result" && entry.files ? [entry.files] : [])),
    pinned: [],
    keep: 20,
    signal: new AbortController().signal,
    ...more,
  });
}

/** The texts of all files after the turn, by name. */
export async function textsIn({ start, contents }: Space, workspace: TurnFiles): Promise<Record<string, string>> {
  const found = (await workspace.changed()) ?? start;
  const textOf = (sha256 = ""): string => Buffer.from(contents.get(sha256) ?? "missing").toString();
  return Object.fromEntries(found.map(({ name, sha256 }) => [name, textOf(sha256)]));
}

interface TurnOptions {
  input?: Partial<TurnInput>;
  ports?: Partial<TurnPorts>;
  space?: Space;
}

/** Input and ports of a turn with all tools that work without a sandbox, an empty workspace and wide limits. Records entries and events. */
export function turn(
  model: Model,
  { input = {}, ports = {}, space = spaceOf() }: TurnOptions = {},
): { input: TurnInput; ports: TurnPorts; records: JournalEntry[]; events: TurnEvent[] } {
  const records: JournalEntry[] = [];
  const events: TurnEvent[] = [];
  return {
    records,
    events,
    input: {
      turn: 1,
      instructions: "Be brief.",
      history: [{ role: "user", text: "Go." }],
      journal: [],
      limits: { steps: 100, tokens: 1_000_000, seconds: 600 },
      usedBefore: noUsage,
      maxRetryWaitMs: 0,
      answerMs: 86_400_000,
      startedAt: 0,
      deadline: Number.POSITIVE_INFINITY,
      ...input,
    },
    ports: {
      model,
      tools: allTools().filter(({ unavailable }) => unavailable === undefined),
      files: openFiles(space, input.journal),
      now: () => 0,
      date: () => 0,
      signal: new AbortController().signal,
      record: async (entry) => {
        records.push(JSON.parse(JSON.stringify(entry)) as JournalEntry);
        return true;
      },
      emit: (event) => events.push(event),
      ...ports,
    },
  };
}

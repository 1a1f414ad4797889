import type { AskKind } from "../ask-kinds.ts";
import type { Answer, Answerer } from "../asks.ts";
import type { ResultProblem } from "../../results/result-types.ts";
import type {
  Failure,
  Message,
  ModelAnswer,
  ReceivedResponse,
  SentRequest,
  TokenUsage,
  ToolCall,
  ToolResult,
} from "../model.ts";
import type { ProgramSystem } from "../tools/program-system.ts";
import { addUsage, type LimitReason, noUsage, type Prices, type Usage, usageOf } from "./turn-limits.ts";
import type { FileVersion } from "./files/manifest.ts";
import type { ResumeReason } from "./resume-reason.ts";
import { truncateToolResults, type Truncation } from "./history/truncation.ts";
import { summaryMessage } from "./history/summary-text.ts";
import type { UnmadeCall } from "./unmade-calls.ts";

/**
 * Why a turn ended.
 * - `completed`: with the model's output.
 * - A limit of the turn, or with `run_` of the run: with a final answer.
 * - `answer_length`: the output was cut at the maximum number of output tokens.
 * - `answer_filtered`: the provider's content filter cut the output, or the model refused.
 */
export type FinishReason = "completed" | LimitReason | `run_${LimitReason}` | "answer_length" | "answer_filtered";

/**
 * One durable fact of a turn, recorded before the turn continues. Field names are stored as JSON and must not change.
 * Steps count from 1, calls from 0 in the order of the answer.
 * - `answer`: a model's answer. It contains the tool calls, so it is the write-ahead record of calls that can be
 *   repeated. `note`: the turn's message before it. `cut`: truncation of the conversation from here on. `ended`: the
 *   finish reason of a turn, unless it is `completed`. `window`: the model server's context window, if it is smaller than
 *   the agent's `contextTokens`. `checked`: the text was checked against the schema of the turn's result. The first
 *   one that does not fit does not end the turn: the model is asked once more. `unmade`: the answer is no text for people, but a
 *   tool call that did not arrive as one. Releases that do not know it take the text for the output, as they
 *   always did. `refused`: tools whose definitions the provider does not accept; from here on, requests of the turn leave them out.
 * - `began`: a tool call that must not be repeated is about to start, or a program may have run when the service was killed.
 * - `asked`: a tool call waits for an answer until `until` (milliseconds since 1970). The entry is written when the calls of
 *   the same answer that need none have their results. No process works on the turn until the last call is answered.
 * - `answered`: the answer. `by`: who gave it; absent: nobody did in time.
 * - `result`: the result of one tool call. `files`: the files that it changed, with their new content. `manifest`: hash of
 *   the manifest after it. Both are absent when it changed none. `fileBytes`: bytes that all files have more than before it,
 *   absent for 0. `system`: what ran its programs. `structured`: JSON of an MCP server that the text does not show.
 * - `summary`: its text replaces the first `messages` messages of the conversation. `throughTurn`: the last earlier
 *   turn that it covers, 0 for none. `rules`: see `summaryRequest`. `more`: further messages are to be summarized. `contextTokens`: the context window that it was planned with, if the provider had
 *   rejected the conversation as too long for the configured one.
 * - `failed`: a model call failed. `attempt` counts the calls of the step in one invocation from 1. `waitMs`: planned
 *   milliseconds until the next attempt, if known. `last`: the invocation makes no further attempt. `begun`: the
 *   server had answered with success. With `begun`, `usage` is what it reported, or an estimate of what it has cost. With `last`, how its request was made: `note`, `cut` and `refused` as of an answer, `noTools` of a final answer,
 *   `tried` the hash of what the turn ran on, which a later invocation may change. Changes nothing else.
 * - `resumed`: a process continues the turn after another one was interrupted, or an operator retries it. `instance`: random id
 *   of the process.
 *   `calls`: the calls of the last answer without a result, which it continues with. Absent: it calls the model, whose
 *   answer was not recorded. Changes nothing else.
 *
 * - `forked`: the events before it were copied from another run, up to step `step` of the same turn; 0: up to its input. From
 *   here on, the turn runs on `settings`, the hash of a configuration whose tools are opened anew. Absent: on what it ran on
 *   before. `trial`: the mark of a turn that is not an ordinary one. Changes nothing else.
 *
 * The turn's first answer or summary, and the first one after `settings`, has `configuration`, the hash of what the turn runs on, and `agentVersion`. Both are
 * absent in old entries.
 *
 * `release`: the release of the service, in the first entry of each invocation. Absent: that of the entry before, or 0.2.0 or
 * earlier, which may also have continued a turn during an update. It names the texts that requests are made of, and what reads documents.
 *
 * `fallback`: the fallback was asked, and why. Absent: the first model was asked.
 *
 * `dollars`: cost of the model call. Absent without prices. `milliseconds`: duration of the call. Absent in old entries.
 * `firstTokenMs`: of them, those until the first part of the answer or its reasoning.
 */
export type JournalEntry = { step: number; configuration?: string; agentVersion?: number; release?: string } & (
  | ({
      part: "answer";
      answer: ModelAnswer;
      note?: string;
      cut?: Truncation;
      ended?: Exclude<FinishReason, "completed">;
      model?: string;
      window?: number;
      checked?: CheckedResult;
      unmade?: UnmadeCall;
      refused?: string[];
      milliseconds?: number;
      firstTokenMs?: number;
      dollars?: number;
      fallback?: AskedFallback;
    } & RecordedExchange)
  | { part: "began"; call: number }
  | { part: "asked"; call: number; name?: string; kind: AskKind; until: number }
  | { part: "answered"; call: number; name?: string; answer: Answer; by?: Answerer }
  | {
      part: "result";
      call: number;
      result: ToolResult;
      milliseconds?: number;
      files?: FileVersion[];
      manifest?: string;
      fileBytes?: number;
      system?: ProgramSystem;
      structured?: string;
    }
  | ({
      part: "summary";
      text: string;
      messages: number;
      rules?: 2;
      more?: true;
      throughTurn: number;
      usage: TokenUsage;
      contextTokens?: number;
      milliseconds?: number;
      dollars?: number;
      fallback?: AskedFallback;
    } & RecordedExchange)
  | ({
      part: "failed";
      failure: Pick<Failure, "category" | "title">;
      attempt: number;
      milliseconds: number;
      waitMs?: number;
      last?: true;
      begun?: true;
      usage?: TokenUsage;
      dollars?: number;
      note?: string;
      cut?: Truncation;
      noTools?: true;
      refused?: string[];
      tried?: string;
      fallback?: AskedFallback;
    } & RecordedExchange)
  | { part: "resumed"; instance: string; reason: ResumeReason; calls?: number[] }
  | { part: "forked"; from: string; settings?: string; trial?: TurnMark }
);

/**
 * What a special kind of turn records about itself; only that kind reads it. `mode`: set by trials of earlier releases. With
 * `next_step`, the answers of the turn continue the conversation of another run.
 */
export type TurnMark = Readonly<Record<string, string | number>>;

/**
 * The HTTP requests of a model call, the last one being that of the entry, and what the provider says about its response.
 * Both are absent in old entries and where there was none, as with the demo model.
 */
export interface RecordedExchange {
  sent?: SentRequest[];
  received?: ReceivedResponse;
}

/**
 * The fallback as entries record it. `configuration`: the name of its model configuration; absent: it is the organization's
 * model. `failure`: why the first model did not answer.
 */
export interface AskedFallback {
  model?: string;
  configuration?: string;
  failure: GivenUp;
}

/** The last failure of a model after its retries. `waitMs`: the delay that the provider asked for. */
export type GivenUp = Pick<Failure, "category" | "title"> & { waitMs?: number };

/** Models that failed in this turn after their retries. `next`: the one to ask now, if the turn has a fallback. */
export interface DownModels {
  first: GivenUp;
  fallback?: GivenUp;
  next: "first" | "fallback";
}

/**
 * Whether another model may answer after this failure: an outage, an overload, a rate limit, or answers that cannot be read. A
 * wrong key or model name needs an operator. A request that one provider refuses is not sent to another.
 */
export function couldSurvive({ category }: Pick<Failure, "category">): boolean {
  return category === "model_unavailable" || category === "model_answer";
}

/** How a result fits the schema of its turn. `problems`: absent if it fits. */
export interface CheckedResult {
  problems?: ResultProblem[];
}

export type AskedEntry = Extract<JournalEntry, { part: "asked" }>;
export type AnsweredEntry = Extract<JournalEntry, { part: "answered" }>;
export type ForkedEntry = Extract<JournalEntry, { part: "forked" }>;
export type ResumedEntry = Extract<JournalEntry, { part: "resumed" }>;
export type AnswerEntry = Extract<JournalEntry, { part: "answer" }>;
export type FailedEntry = Extract<JournalEntry, { part: "failed" }>;
export type SummaryEntry = Extract<JournalEntry, { part: "summary" }>;

/** Tool calls of the last answer while some results are missing. */
export interface PendingCalls {
  step: number;
  calls: ToolCall[];
  /** Indexes of calls with a `began` entry. */
  began: number[];
  /** By call. Undefined: it waits for no answer. */
  asked: (AskedEntry | undefined)[];
  /** By call. Undefined: it has no answer, or needs none. */
  answers: (Answer | undefined)[];
  /** By call. Undefined until recorded. */
  results: (ToolResult | undefined)[];
}

/** Progress of a turn: a fold over its journal. */
export interface TurnProgress {
  /** Counts from 1 within the run. */
  turn: number;
  /** The conversation, with all recorded steps. */
  messages: Message[];
  /** Steps of the messages with tool results, in their order. */
  resultSteps: number[];
  /** Truncated results say how they can be read again. */
  namesTruncated?: true;
  /** Index of this turn's input in `messages`. */
  inputAt: number;
  /** Usage of this turn's model calls. `milliseconds` is 0. */
  used: Usage;
  pending?: PendingCalls;
  /** The answer that ends the turn. */
  last?: AnswerEntry;
  /** Consecutive answers with neither text nor tool calls, or with a tool call that did not arrive as one. */
  emptyAnswers: number;
  /** Of the last answer. */
  unmade?: UnmadeCall;
  /** Tools that requests leave out: the provider did not accept their definitions. */
  refused?: string[];
  /** Why an answer of this turn did not fit the schema of its result. It is asked for once more. */
  problems?: ResultProblem[];
  /** The provider's last token count: instructions, tools and the first `messages` messages. */
  counted?: { tokens: number; messages: number; inputTokens: number };
  /** Absent: the first model answers. */
  down?: DownModels;
  /** The last entry is a summary, of all messages that were to be summarized, or of the first ones. */
  summarized?: "wholly" | "partly";
}

/** `history`: earlier turns and, last, this turn's input. */
export function startProgress(history: Message[], turn: number): TurnProgress {
  const messages = [...history];
  return { turn, messages, resultSteps: [], inputAt: history.length - 1, used: noUsage, emptyAnswers: 0 };
}

/** Applies one entry. Entries are folded in the order of recording; results of one answer can come in any order. */
export function foldEntry(progress: TurnProgress, entry: JournalEntry): TurnProgress {
  const { down: before, ...others } = progress;
  const down = downAfter(before, entry);
  return foldPart(down ? { ...others, down } : others, entry);
}

/** Which models are down after an entry. An operator's retry and a fork begin with the first one again. */
function downAfter(down: DownModels | undefined, entry: JournalEntry): DownModels | undefined {
  switch (entry.part) {
    case "answer":
    case "summary":
      return entry.fallback && { first: entry.fallback.failure, next: "fallback" };
    case "failed": {
      const { failure, waitMs, last, fallback } = entry;
      if (!last || failure.category === "limit") return down;
      const givenUp = { ...failure, ...(waitMs !== undefined && { waitMs }) };
      if (fallback) return { first: fallback.failure, fallback: givenUp, next: "first" };
      return couldSurvive(failure) ? { ...down, first: givenUp, next: "fallback" } : down;
    }
    case "resumed":
      return entry.reason === "retry" ? undefined : down;
    case "forked":
      return undefined;
    case "began":
    case "asked":
    case "answered":
    case "result":
      return down;
  }
}

function foldPart(progress: TurnProgress, entry: JournalEntry): TurnProgress {
  switch (entry.part) {
    case "answer":
      return foldAnswer(progress, entry);
    case "summary":
      return foldSummary(progress, entry);
    case "began":
      return withPending(progress, ({ began }) => ({ began: [...began, entry.call] }));
    case "asked":
      return withPending(progress, ({ asked }) => ({ asked: asked.with(entry.call, entry) }));
    case "answered":
      return withPending(progress, ({ answers }) => ({ answers: answers.with(entry.call, entry.answer) }));
    case "result":
      return foldResult(progress, entry.call, entry.result);
    case "failed":
      return entry.usage ? { ...progress, used: addUsage(progress.used, usageOfEntry(entry) ?? noUsage) } : progress;
    case "resumed":
    case "forked":
      return progress;
  }
}

/** Number of the next step. */
export function nextStep({ used }: TurnProgress): number {
  return used.steps + 1;
}

/** What a turn continues with: a call of the model for the next step, or those calls of the last answer that have no result. */
export function nextWork(journal: JournalEntry[]): Pick<ResumedEntry, "step" | "calls"> {
  const { pending, ...progress } = journal.reduce(foldEntry, startProgress([], 0));
  if (!pending) return { step: nextStep(progress) };
  const calls = pending.results.flatMap((result, index) => (result ? [] : [index]));
  return { step: pending.step, calls };
}

/** The entries that the run itself recorded: those after a `forked` one, and all of a run that is no fork. */
export function ownEntries<Entry extends JournalEntry>(journal: Entry[]): Entry[] {
  return journal.slice(journal.findLastIndex(({ part }) => part === "forked") + 1);
}

/** Usage of an entry's model call, without its duration. Undefined for entries without a model call. */
export function usageOfEntry(entry: JournalEntry): Usage | undefined {
  if (entry.part === "answer") return { ...usageOf(entry.answer.usage, undefined), dollars: entry.dollars ?? 0 };
  if (entry.part === "summary") return { ...usageOf(entry.usage, undefined), dollars: entry.dollars ?? 0 };
  // A failed call is no step of the turn.
  if (entry.part === "failed" && entry.usage) {
    return { ...usageOf(entry.usage, undefined), steps: 0, dollars: entry.dollars ?? 0 };
  }
  return undefined;
}

/** The `dollars` of an entry. Empty without prices. */
export function entryCost(usage: TokenUsage, prices: Prices | undefined): { dollars?: number } {
  return prices ? { dollars: usageOf(usage, prices).dollars } : {};
}

/** Whether the answer has neither text nor tool calls. */
export function isEmpty(answer: ModelAnswer): boolean {
  return answer.toolCalls.length === 0 && answer.text.trim() === "";
}

function foldAnswer(progress: TurnProgress, entry: AnswerEntry): TurnProgress {
  const { pending: _, summarized: __, unmade: ___, ...rest } = progress;
  const { answer, note, cut, step, unmade, refused = [] } = entry;
  const { text, toolCalls, echo, usage } = answer;
  const before = cut ? truncateToolResults(rest, cut) : rest.messages;
  const messages: Message[] = [
    ...before,
    ...(note === undefined ? [] : [{ role: "user", text: note, note: true } as const]),
    { role: "assistant", answer: { text, toolCalls, ...(echo !== undefined && { echo }) } },
  ];
  const empty = isEmpty(answer) || unmade !== undefined;
  const problems = entry.checked?.problems;
  const none = toolCalls.map(() => undefined);
  return {
    ...rest,
    messages,
    ...(cut?.named && { namesTruncated: true }),
    used: addUsage(rest.used, usageOfEntry(entry) ?? noUsage),
    ...(toolCalls.length > 0
      ? { pending: { step, calls: toolCalls, began: [], asked: none, answers: none, results: none } }
      : !empty && !problems && { last: entry }),
    ...(problems && { problems }),
    ...(refused.length > 0 && { refused: [...(rest.refused ?? []), ...refused] }),
    emptyAnswers: empty ? rest.emptyAnswers + 1 : 0,
    ...(unmade && { unmade }),
    // Earlier releases recorded 0 where the provider did not count.
    ...(usage.inputTokens > 0 &&
      !usage.estimated && {
        counted: {
          tokens: usage.inputTokens + usage.outputTokens,
          messages: messages.length,
          inputTokens: usage.inputTokens,
        },
      }),
  };
}

function withPending(progress: TurnProgress, change: (pending: PendingCalls) => Partial<PendingCalls>): TurnProgress {
  const { pending } = progress;
  return pending ? { ...progress, pending: { ...pending, ...change(pending) } } : progress;
}

function foldResult(progress: TurnProgress, call: number, result: ToolResult): TurnProgress {
  const { pending, ...rest } = progress;
  if (!pending) return progress;
  const results = pending.results.with(call, result);
  const complete = results.filter((each) => each !== undefined);
  if (complete.length < results.length) return { ...rest, pending: { ...pending, results } };
  return {
    ...rest,
    messages: [...rest.messages, { role: "tool", results: complete }],
    resultSteps: [...rest.resultSteps, pending.step],
  };
}

function foldSummary(progress: TurnProgress, entry: SummaryEntry): TurnProgress {
  const { counted: _, summarized: __, ...rest } = progress;
  const input = rest.messages[rest.inputAt];
  const inputKept = entry.messages <= rest.inputAt;
  const replaced = rest.messages.slice(0, entry.messages).filter(({ role }) => role === "tool");
  return {
    ...rest,
    resultSteps: rest.resultSteps.slice(replaced.length),
    messages: [
      summaryMessage(entry.text),
      ...(inputKept || !input ? [] : [input]),
      ...rest.messages.slice(entry.messages),
    ],
    inputAt: inputKept ? rest.inputAt - entry.messages + 1 : 1,
    used: addUsage(rest.used, usageOfEntry(entry) ?? noUsage),
    summarized: entry.more ? "partly" : "wholly",
  };
}

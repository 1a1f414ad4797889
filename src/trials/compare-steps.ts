import { canonicalJson } from "../json.ts";
import type { KnownCall } from "../agent/tools/recorded.ts";
import type { AnswerEntry } from "../agent/turn/journal.ts";
import type { RunJournalEntry } from "../runs/types.ts";
import { sameOutput } from "./compare.ts";
import { callKey } from "./recorded-calls.ts";
import type { StepsOutcome } from "./types.ts";

/** An answer to a step: the tools that it calls, or its text. */
export interface StepAnswer {
  text: string;
  calls: KnownCall[];
}

/** A recorded step with another answer to it. Absent `tried`: there is none. */
export interface ComparedStep {
  step: number;
  recorded: StepAnswer;
  tried?: StepAnswer;
  /** What differs, as a sentence. Absent: nothing, or there is no answer. */
  difference?: string;
}

/** The answers of a recorded turn with those to the same steps of another one. */
export function compareSteps(recorded: RunJournalEntry[], tried: RunJournalEntry[]): ComparedStep[] {
  const answers = new Map(answersIn(tried).map((entry) => [entry.step, answerOf(entry)]));
  return answersIn(recorded).map((entry) => comparedStep(entry.step, answerOf(entry), answers.get(entry.step)));
}

function comparedStep(step: number, recorded: StepAnswer, tried: StepAnswer | undefined): ComparedStep {
  const difference = tried && differenceOf(recorded, tried);
  return { step, recorded, ...(tried && { tried }), ...(difference !== undefined && { difference }) };
}

/** What the compared steps say together. */
export function outcomeOfSteps(steps: ComparedStep[]): StepsOutcome {
  const changed = steps.filter(({ difference }) => difference !== undefined);
  const [first] = changed;
  return {
    compared: steps.filter(({ tried }) => tried).length,
    changed: changed.length,
    ...(first?.difference !== undefined && { first: { step: first.step, reason: first.difference } }),
  };
}

function answersIn(entries: RunJournalEntry[]): (RunJournalEntry & AnswerEntry)[] {
  return entries.filter((entry): entry is RunJournalEntry & AnswerEntry => entry.part === "answer");
}

function answerOf({ answer: { text, toolCalls } }: AnswerEntry): StepAnswer {
  return { text, calls: toolCalls.map(({ id: _id, invalid: _invalid, ...call }) => call) };
}

/**
 * Answers with calls are equal if they call the same tools with the same arguments as canonical JSON, in any order: the text beside calls
 * does not count. Others are equal if their texts are, see `sameOutput`.
 */
function differenceOf(before: StepAnswer, after: StepAnswer): string | undefined {
  if (before.calls.length === 0 && after.calls.length === 0) {
    return sameOutput(before.text, after.text) ? undefined : "The model answers another text.";
  }
  if (after.calls.length === 0) return `The model answers in place of calling ${namesOf(before)}.`;
  if (before.calls.length === 0) return `The model calls ${namesOf(after)} in place of answering.`;
  if (canonicalJson(before.calls.map(callKey).toSorted()) === canonicalJson(after.calls.map(callKey).toSorted())) {
    return undefined;
  }
  const [one, two] = [namesOf(before), namesOf(after)];
  return one === two ? `The model calls ${two} with other arguments.` : `The model calls ${two} in place of ${one}.`;
}

/** The tools of an answer, such as `read_file, write_file (2)`. */
function namesOf({ calls }: StepAnswer): string {
  const counts = [...Map.groupBy(calls, ({ name }) => name)].map(([name, same]) => [name, same.length] as const);
  return counts
    .toSorted(([one], [two]) => (one < two ? -1 : 1))
    .map(([name, count]) => (count === 1 ? name : `${name} (${count})`))
    .join(", ");
}

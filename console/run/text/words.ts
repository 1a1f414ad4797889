import type { Attempt, Call, Gap, Step } from "../model/run-model-types.ts";

/** Formats milliseconds. */
type Duration = (milliseconds: number) => string;

const gapReasons: Record<Gap["reason"], string> = {
  restart: "the service was restarted",
  lease_expired: "its process did not respond",
  retry: "an operator retried it after an error",
};

/** What is recorded of an interruption, in a sentence or two after its first words. */
export function gapText(gap: Gap, duration: Duration): string {
  const resumed = `${gapReasons[gap.reason]}. Resumed ${duration(gap.until - gap.from)} after the last record.`;
  const kept = `${count(gap.stepsKept, "step")} kept`;
  if (gap.repeats === "model_call") {
    return `${resumed} ${kept}, none repeated. At most one model call was made twice.`;
  }
  const lost = gap.calls.filter(({ interrupted }) => interrupted === "unknown");
  const again = gap.calls.filter(({ interrupted }) => interrupted !== "unknown");
  const repeated = again.length > 0 ? `${names(again)} may have run twice` : "no call ran twice";
  const unknown = lost.length > 0 ? ` It is unknown whether ${names(lost)} took effect; not repeated.` : "";
  return `${resumed} ${kept}, ${repeated}.${unknown}`;
}

/** Failed attempts with the same title in a row. */
export interface WaitGroup {
  title: string;
  category: string;
  times: number;
  /** Milliseconds waited so far. */
  waited: number;
  /** No attempt follows: the turn failed with this one. */
  last: boolean;
  /** Since when the last wait lasts, until the next attempt. */
  pending?: { since: number; until?: number };
}

/** The failed attempts of a step, joined by title. `running`: the step can still continue. */
export function waitsOf({ attempts, answered }: Step, running: boolean): WaitGroup[] {
  const groups: WaitGroup[] = [];
  attempts.forEach((attempt, index) => {
    let group = groups.at(-1);
    if (group?.title !== attempt.title) {
      group = { title: attempt.title, category: attempt.category, times: 0, waited: 0, last: false };
      groups.push(group);
    }
    group.times++;
    group.waited += waitedAfter(attempt);
    const open = index === attempts.length - 1 && !answered;
    group.last = attempt.last && open && !running;
    if (open && running && attempt.resumedAt === undefined && attempt.endedAt !== undefined) {
      const until = attempt.waitMs === undefined ? undefined : attempt.endedAt + attempt.waitMs;
      group.pending = { since: attempt.endedAt, ...(until !== undefined && { until }) };
    }
  });
  return groups;
}

function waitedAfter({ endedAt, resumedAt }: Attempt): number {
  return endedAt === undefined || resumedAt === undefined ? 0 : Math.max(0, resumedAt - endedAt);
}

/** How often attempts failed and how long the run waited, behind what failed: "twice, waited 12.4 s". "": once, without a wait. */
export function waitText({ times, waited }: Pick<WaitGroup, "times" | "waited">, duration: Duration): string {
  const often = times === 1 ? [] : [times === 2 ? "twice" : `${times} times`];
  return [...often, ...(waited > 0 ? [`waited ${duration(waited)}`] : [])].join(", ");
}

/** Why a turn ended, for its row. */
export function endedText(reason: string): string {
  return endings[reason] ?? `Ended: ${reason}.`;
}

const unitNames: Record<string, string> = {
  steps: "steps",
  tokens: "tokens",
  seconds: "time",
  inputTokens: "input tokens",
  outputTokens: "output tokens",
  dollars: "cost",
};

const endings: Record<string, string> = {
  answer_length: "Output cut: the model reached its maximum number of output tokens.",
  answer_filtered: "Output cut: the provider's content filter removed a part, or the model refused.",
  ...Object.fromEntries(
    Object.entries(unitNames).flatMap(([reason, unit]) => [
      [reason, `Limit reached: ${unit} of this turn. The model was asked for a final answer.`],
      [`run_${reason}`, `Limit reached: ${unit} of the run. The model was asked for a final answer.`],
    ]),
  ),
};

/** Whether `StepNotes` shows anything. Notes about tools are at the beginning of the service's note. */
export function hasNotes({ note, fallback }: Step): boolean {
  return fallback !== undefined || note?.startsWith("Tools ") === true;
}

/** "Thought for 3.4 s, 212 words". The words of a text that is not loaded completely are not known. */
export function thoughtText({ reasoning, reasoningMs, answered, text: answer }: Step, duration: Duration): string {
  if (!answered && answer.length === 0) return `Thought for ${duration(reasoningMs ?? 0)} so far`;
  const time = reasoningMs === undefined ? "" : ` for ${duration(reasoningMs)}`;
  const { text, length } = reasoning ?? { text: "", length: 0 };
  const size = text.length < length ? count(length, "character") : count(wordsIn(text), "word");
  return `Thought${time}, ${size}`;
}

function wordsIn(text: string): number {
  const words = new Intl.Segmenter(undefined, { granularity: "word" }).segment(text);
  return [...words].filter(({ isWordLike }) => isWordLike).length;
}

/** What a step is about, for its row: its text, or what it did. `running`: the step can still continue. */
export function stepTitle(step: Step, running: boolean): string {
  if (step.text.text.trim() !== "" && (step.calls.length > 0 || !step.answered)) return step.text.text;
  if (!step.answered) return running ? "Waiting for the model" : unanswered(step);
  if (step.calls.length === 0)
    return step.text.text.trim() === "" ? "Empty answer" : step.problems ? "Result" : "Answer";
  return "";
}

function unanswered({ attempts }: Step): string {
  return attempts.at(-1)?.last ? "The model call failed" : "The model did not answer";
}

export function count(number: number, noun: string): string {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

function names(calls: Call[]): string {
  return calls.length > 3 ? count(calls.length, "tool call") : calls.map(({ name }) => name).join(", ");
}

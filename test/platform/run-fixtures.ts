import { randomUUID } from "node:crypto";
import type { Failure, ModelAnswer } from "../../src/agent/model.ts";
import { stamped } from "../../src/runs/events.ts";
import type { Run, RunChange, RunJournalEntry, Stamped, TurnMessage } from "../../src/runs/run-types.ts";
import type { Runs } from "../../src/runs/ports.ts";

export const failure: Failure = {
  category: "internal",
  title: "It broke.",
  remedy: "Mend it: \u0000 ü.",
  retryable: false,
};

export const anAnswer: ModelAnswer = {
  text: "Done.",
  toolCalls: [],
  finishReason: "stop",
  usage: { inputTokens: 1, outputTokens: 1 },
};

/** Large enough to be stored as an object on AWS. */
export function largeText(index: number): string {
  return `${index} `.repeat(60_000);
}

/** 50 KB. */
export function inlineText(index: number): string {
  return `${index}:${"0123456789".repeat(5_000)}`;
}

export function newRun(fields: Partial<Run> = {}): Run {
  return {
    id: randomUUID(),
    agentId: randomUUID(),
    organizationId: randomUUID(),
    name: "Run",
    status: "running",
    turn: 1,
    createdAt: 1_763_000_000_000,
    updatedAt: 1_763_000_000_000,
    sequence: fields.turn === 0 ? 0 : 1,
    ...fields,
  };
}

export function onTurn(run: Run): Pick<RunChange, "runId" | "expect"> {
  return { runId: run.id, expect: { status: run.status, turn: run.turn } };
}

/** When the events of these tests are recorded. */
const recordedAt = 1_763_000_000_500;

/** The events of a change, numbered after `sequence`: entries first. */
export function numbered(
  sequence: number,
  { entries = [], messages = [] }: { entries?: RunJournalEntry[]; messages?: TurnMessage[] },
): Required<Pick<RunChange, "entries" | "messages">> {
  return {
    entries: stamped(entries, { sequence, at: recordedAt }),
    messages: stamped(messages, { sequence: sequence + entries.length, at: recordedAt }),
  };
}

/** Journal entries as they read back when they are the events after number `sequence`. */
export function recorded(sequence: number, entries: RunJournalEntry[]): Stamped<RunJournalEntry>[] {
  return numbered(sequence, { entries }).entries;
}

/** The first messages of a run. */
export function firstMessages(...messages: TurnMessage[]): Stamped<TurnMessage>[] {
  return numbered(0, { messages }).messages;
}

export function input(turn: number, text: string): TurnMessage {
  return { turn, role: "input_to_agent", text };
}

export function output(turn: number, text: string): TurnMessage {
  return { turn, role: "output_from_agent", text };
}

export function answered(turn: number, step: number, text = `answer ${turn}.${step}`): RunJournalEntry {
  return { turn, step, part: "answer", answer: { ...anAnswer, text } };
}

export function resulted(turn: number, step: number, call = 0, text = `${turn}.${step}.${call}`): RunJournalEntry {
  return { turn, step, part: "result", call, result: { callId: "c", name: "list_files", text } };
}

export function byId(a: { id: string }, b: { id: string }): number {
  return a.id < b.id ? -1 : 1;
}

/** Creates a run that is running in turn 1 with the input "first". */
export async function created(runs: Runs, fields: Partial<Run> = {}): Promise<Run> {
  const run = newRun(fields);
  await runs.create(run, firstMessages(input(1, "first")));
  return run;
}

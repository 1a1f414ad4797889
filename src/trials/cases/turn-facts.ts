import type { Failure, ToolResult } from "../../agent/model.ts";
import type { KnownCall } from "../../agent/tools/recorded.ts";
import { type AnswerEntry, type FinishReason, usageOfEntry } from "../../agent/turn/journal.ts";
import { addUsage, noUsage, type Usage } from "../../agent/turn/turn-limits.ts";
import type { FileVersion } from "../../agent/turn/files/manifest.ts";
import type { RunEvent, RunJournalEntry, TurnMessage } from "../../runs/run-types.ts";

/** What a turn did, recorded or tried. */
export interface TurnFacts {
  turn: number;
  /** Absent: the events do not have it. */
  input?: string;
  /** Absent: the turn has none, or none yet. */
  output?: string;
  /** In the order of the answers. */
  calls: TurnCall[];
  /** Of all model calls of the turn. `milliseconds`: see `millisecondsOf`. */
  used: Usage;
  /** Whether each model call has a cost. Otherwise `used.dollars` says nothing. */
  priced: boolean;
  /** Absent without an output. */
  finishReason?: FinishReason;
  /** Of the model call that the turn ended with. Other failures are those of the run alone. Absent with an output. */
  failure?: Pick<Failure, "category" | "title">;
}

/** A tool call of a turn. */
export interface TurnCall extends KnownCall {
  /** Counts from 1. */
  step: number;
  /** Index in the step's answer. */
  call: number;
  /** Absent: the turn ended without it. */
  result?: Pick<ToolResult, "text" | "error">;
  /** Files that the call changed, in the order of the changes. */
  files: FileVersion[];
}

/** Reads what a turn did from the events of its run, which are in order. Events of other turns are ignored. */
export function turnFacts(events: RunEvent[], turn: number): TurnFacts {
  const ofTurn = events.filter((event) => event.turn === turn);
  const messages = ofTurn.filter((event): event is TurnMessage => "role" in event);
  const entries = ofTurn.filter((event): event is RunJournalEntry => "part" in event);
  const input = messages.find(({ role }) => role === "input_to_agent");
  const output = messages.find(({ role }) => role === "output_from_agent");
  const usages = entries.map(usageOfEntry).filter((usage) => usage !== undefined);
  const used = usages.reduce(addUsage, noUsage);
  const last = entries.findLast((entry): entry is { turn: number } & AnswerEntry => entry.part === "answer");
  const failure = output ? undefined : failureOf(entries);
  return {
    turn,
    ...(input && { input: input.text }),
    ...(output && { output: output.text }),
    calls: callsIn(entries),
    used: { ...used, milliseconds: millisecondsOf(ofTurn) },
    priced: entries.every((entry) => !usageOfEntry(entry) || ("dollars" in entry && entry.dollars !== undefined)),
    ...(output && last && { finishReason: last.ended ?? "completed" }),
    ...(failure && { failure }),
  };
}

function callsIn(entries: RunJournalEntry[]): TurnCall[] {
  const calls: TurnCall[] = [];
  let current: TurnCall[] = [];
  for (const entry of entries) {
    if (entry.part === "answer") {
      const { step } = entry;
      current = entry.answer.toolCalls.map(({ id: _id, invalid: _invalid, ...of }, call) => {
        return { step, call, ...of, files: [] };
      });
      calls.push(...current);
    }
    const called = entry.part === "result" ? current[entry.call] : undefined;
    if (entry.part !== "result" || !called) continue;
    const { text, error } = entry.result;
    called.result = { text, ...(error && { error }) };
    called.files = entry.files ?? [];
  }
  return calls;
}

function failureOf(entries: RunJournalEntry[]): TurnFacts["failure"] {
  const last = entries.at(-1);
  return last?.part === "failed" && last.last ? last.failure : undefined;
}

/**
 * Milliseconds from the input to the last event, without the waits for answers. A copied turn begins where it was copied, not
 * with the input of its origin.
 */
function millisecondsOf(events: RunEvent[]): number {
  const begin = events.findLastIndex((event) => "part" in event && event.part === "forked");
  const own = events.slice(Math.max(0, begin));
  const [first, last] = [own[0]?.at, own.at(-1)?.at];
  if (first === undefined || last === undefined) return 0;
  return Math.max(0, last - first - waitedIn(own));
}

/** While several calls of an answer wait, the time counts once. */
function waitedIn(events: RunEvent[]): number {
  let waited = 0;
  let since: number | undefined;
  for (const event of events) {
    if (!("part" in event) || event.at === undefined) continue;
    if (event.part === "asked") since ??= event.at;
    else if (event.part === "answered") {
      waited += event.at - (since ?? event.at);
      since = event.at;
    } else since = undefined;
  }
  return waited;
}

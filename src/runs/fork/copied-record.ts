import { foldEntry, startProgress } from "../../agent/turn/journal.ts";
import { ServiceError } from "../../errors.ts";
import type { RunPoint } from "../files/read-files.ts";
import { eventsOf } from "../read/list-events.ts";
import { callId } from "../read/open-calls.ts";
import type { Runs } from "../ports.ts";
import type { Run, RunEvent, RunJournalEntry } from "../run-types.ts";

/** A result to put in place of that of a call of the last copied step. `call`: from 0. */
export interface GivenResult {
  call: number;
  text: string;
}

/** What a fork changes of the record itself. */
export interface RecordChanges {
  /** Replaces the input of the turn. Only before its first step. */
  inputText?: string | undefined;
  results?: GivenResult[] | undefined;
}

/** The record of a run up to a point. */
export interface RecordUpTo {
  /** In order, those of earlier turns included. */
  events: RunEvent[];
  /** All entries of the turn, later ones included. */
  turnEntries: RunJournalEntry[];
}

/** Reads the events of a run up to a step, the step included. */
export async function recordUpTo(deps: { runs: Runs }, { id }: Pick<Run, "id">, at: RunPoint): Promise<RecordUpTo> {
  const record: RecordUpTo = { events: [], turnEntries: [] };
  for await (const event of eventsOf(deps, id)) {
    if (event.turn > at.turn) break;
    if ("part" in event && event.turn === at.turn) record.turnEntries.push(event);
    if (isUpTo(event, at)) record.events.push(event);
  }
  return record;
}

function isUpTo(event: RunEvent, { turn, step }: RunPoint): boolean {
  if (event.turn < turn) return true;
  return "part" in event ? event.step <= step : event.role === "input_to_agent";
}

/**
 * The events that a fork at a point begins with. Calls without a result run again, so what is recorded of their beginning is left
 * out, and approvals and answers that are still open are asked for again. Rejects if the step ended the turn, or has no such call.
 */
export function eventsOfFork(events: RunEvent[], at: RunPoint, { inputText, results = [] }: RecordChanges): RunEvent[] {
  if (inputText !== undefined && at.step > 0) {
    throw invalid(
      `an input replaces that of the turn, so it needs the point before its first step, ${at.turn}.0; received ${at.turn}.${at.step}`,
    );
  }
  const earlier = events.filter(({ turn }) => turn < at.turn);
  const inputs = events.filter((event) => event.turn === at.turn && "role" in event);
  const entries = withResults(
    events.filter((event) => event.turn === at.turn && "part" in event) as RunJournalEntry[],
    at,
    results,
  );
  const given = inputText === undefined ? inputs : inputs.map((event) => Object.assign({}, event, { text: inputText }));
  return [...earlier, ...given, ...withoutOpenCalls(entries, at)];
}

/**
 * An event of an imported run, without what it ran on: nothing here runs on that, so the events name none of it. An answer has no
 * form of the provider, which is sent in place of what people see of it.
 */
export function withoutConfiguration(event: RunEvent): RunEvent {
  const { agentVersion: _version, ...others } = event;
  if (!("part" in others)) return others;
  const { configuration: _configuration, ...entry } = others;
  if (entry.part === "failed") {
    const { tried: _tried, ...failed } = entry;
    return failed;
  }
  if (entry.part === "answer") {
    const { echo: _echo, ...answer } = entry.answer;
    return { ...entry, answer };
  }
  if (entry.part !== "forked") return entry;
  const { settings: _settings, ...forked } = entry;
  return forked;
}

/**
 * The events of an imported run that a fork begins with. Nobody here has answered its calls: those without a result are asked
 * for again.
 */
export function withoutAnswers(events: RunEvent[]): RunEvent[] {
  const done = new Set(events.flatMap((event) => ("part" in event && event.part === "result" ? callId(event) : [])));
  return events.filter((event) => {
    const isAnswer = "part" in event && (event.part === "asked" || event.part === "answered");
    return !isAnswer || done.has(callId(event));
  });
}

/** The entries with the given results of the last step. */
function withResults(entries: RunJournalEntry[], { turn, step }: RunPoint, results: GivenResult[]): RunJournalEntry[] {
  if (results.length === 0) return entries;
  const answer = entries.findLast((entry) => entry.part === "answer" && entry.step === step);
  const calls = answer?.part === "answer" ? answer.answer.toolCalls : [];
  const changed = [...entries];
  const seen = new Set<number>();
  for (const { call, text } of results) {
    const called = calls[call];
    if (!called) throw invalid(noSuchCall(`${turn}.${step}`, call, calls));
    if (seen.has(call)) throw invalid(`call ${call} of step ${turn}.${step} has two results; give one`);
    seen.add(call);
    const result = { callId: called.id, name: called.name, text };
    const index = changed.findIndex((entry) => entry.part === "result" && entry.step === step && entry.call === call);
    const before = changed[index];
    // The files are those that the call left.
    if (before?.part === "result") {
      const { structured: _, ...kept } = before;
      changed[index] = { ...kept, result };
    } else {
      const at = changed.at(-1)?.at;
      changed.push({ turn, step, part: "result", call, result, ...(at !== undefined && { at }) });
    }
  }
  return changed;
}

function noSuchCall(step: string, call: number, calls: { name: string }[]): string {
  if (calls.length === 0) return `step ${step} called no tool, so no result of it can be replaced`;
  const names = calls.map(({ name }, index) => `${index} (${name})`).join(", ");
  return `step ${step} has no call ${call}; its calls are ${names}`;
}

function withoutOpenCalls(entries: RunJournalEntry[], { turn, step }: RunPoint): RunJournalEntry[] {
  const { pending, last } = entries.reduce(foldEntry, startProgress([], turn));
  if (last) {
    const point = `${turn}.${last.step}`;
    throw invalid(
      `step ${point} ended turn ${turn}, so nothing follows it; send the run an input, or fork it at an earlier step, such as ${turn}.${Math.min(step, last.step) - 1}`,
    );
  }
  if (!pending) return entries;
  const isOpen = (call: number): boolean => !pending.results[call];
  return entries.filter((entry) => {
    if (entry.step !== pending.step) return true;
    if (entry.part === "began") return !isOpen(entry.call);
    return entry.part !== "asked" || !isOpen(entry.call) || pending.answers[entry.call] !== undefined;
  });
}

function invalid(message: string): ServiceError {
  return new ServiceError("invalid_argument", message);
}

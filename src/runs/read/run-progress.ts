import { type CheckedResult, type FinishReason, usageOfEntry } from "../../agent/turn/journal.ts";
import { addUsage, noUsage, type Usage } from "../../agent/turn/turn-limits.ts";
import { turnStartedAt } from "../status.ts";
import type { ConfigurationReference } from "../turn-configuration.ts";
import type { Run, RunEvent, RunJournalEntry, TurnMessage } from "../run-types.ts";

/** What the current turn of a run does. Times are milliseconds since 1970. */
export interface RunActivity {
  /** `retry_wait`: a model call failed, and the next attempt is due at `until`, if that is known. */
  kind: "starting" | "model_call" | "tool_calls" | "retry_wait";
  turn: number;
  /** The step in progress. */
  step: number;
  /** Names of the tools whose calls are in progress, in the order of the answer. */
  tools: string[];
  since: number;
  until?: number;
}

/** Whether a model answers, as far as the records say: the beginning of a call is not recorded. */
export function isAnswered(activity: RunActivity | undefined): boolean {
  return activity?.kind === "model_call" || activity?.kind === "starting";
}

/** Where the last turn of a run is: a fold over its events. */
export interface RunProgress {
  /** Number of the last folded event. */
  sequence: number;
  turn: number;
  /** Of the last entry. 0: the turn has none. */
  step: number;
  /** What follows the last event. Absent: nothing, because it is an output. */
  doing?: Pick<RunActivity, "kind" | "until"> & Partial<Pick<RunActivity, "since">>;
  /** Names of the tools of the last answer's calls. Undefined: the call has its result. */
  calls: (string | undefined)[];
  /** Of the last answer, if it ends the turn. */
  finishReason?: FinishReason;
  /** Of the last answer: how it fits the schema of the turn's results. Absent: the turn has none. */
  checked?: CheckedResult;
  /** When the turn's input was recorded. Absent: unknown. */
  startedAt?: number;
  /** Milliseconds that the turn has waited for answers. Absent: 0. */
  waited?: number;
  /** While calls wait for answers: what `waited` does not have yet began here. */
  waitsSince?: number;
  /** Usage of the turn. Absent: the fold began within the turn. */
  used?: Usage;
  /** What the turn runs on, as far as its entries say. */
  runsOn?: ConfigurationReference;
  /** Version of the agent that the turn's input names. */
  agentVersion?: number;
}

/** A turn before its first entry. */
export function newTurn({ turn, sequence = 0, at, agentVersion }: Omit<TurnMessage, "role" | "text">): RunProgress {
  return {
    sequence,
    turn,
    step: 0,
    doing: { kind: "model_call", ...(at !== undefined && { since: at }) },
    calls: [],
    ...(at !== undefined && { startedAt: at }),
    used: noUsage,
    ...(agentVersion !== undefined && { agentVersion }),
  };
}

/**
 * Applies the next event. Undefined: the fold cannot begin with this event, because it does not say what the run does:
 * of several calls, a result is not the last one for sure.
 */
export function foldEvent(before: RunProgress | undefined, event: RunEvent): RunProgress | undefined {
  if ("part" in event) return foldEntry(before, event);
  if (event.role === "input_to_agent") return newTurn(event);
  if (!before) return undefined;
  const { doing: _, ...ended } = before;
  return { ...ended, calls: [], sequence: event.sequence ?? before.sequence };
}

function foldEntry(before: RunProgress | undefined, entry: RunJournalEntry): RunProgress | undefined {
  const { turn, step, part, at } = entry;
  if (!before && part !== "answer" && part !== "summary" && part !== "failed") return undefined;
  const { waitsSince, ...base }: RunProgress = before ?? { turn, step, sequence: 0, calls: [] };
  const used = base.used && addUsage(base.used, usageOfEntry(entry) ?? noUsage);
  const since = at !== undefined && { since: at };
  const next: RunProgress = {
    ...base,
    ...(used && { used }),
    step,
    sequence: entry.sequence ?? base.sequence,
    ...referenceOf(entry),
  };
  switch (part) {
    case "answer": {
      const calls = entry.answer.toolCalls.map(({ name }) => name);
      const kind = calls.length > 0 ? "tool_calls" : "model_call";
      const { checked: _, ...others } = next;
      const { ended: finishReason = "completed", checked } = entry;
      return { ...others, calls, finishReason, ...(checked && { checked }), doing: { kind, ...since } };
    }
    case "summary":
      return { ...next, calls: [], doing: { kind: "model_call", ...since } };
    case "failed": {
      const { waitMs } = entry;
      const until = waitMs !== undefined && at !== undefined && { until: at + waitMs };
      return { ...next, calls: [], doing: { kind: "retry_wait", ...since, ...until } };
    }
    case "began":
      return next;
    case "asked": {
      const from = waitsSince ?? at;
      return { ...next, ...(from !== undefined && { waitsSince: from }) };
    }
    case "answered": {
      const waits = at !== undefined && { waitsSince: at, waited: (base.waited ?? 0) + at - (waitsSince ?? at) };
      return { ...next, ...waits, doing: { kind: "tool_calls", ...since } };
    }
    case "forked": {
      const open = next.calls.some((name) => name !== undefined);
      const { waited: _, ...others } = next; // the seconds of the turn begin again
      return {
        ...others,
        ...(at !== undefined && { startedAt: at }),
        doing: { kind: open ? "tool_calls" : "model_call", ...since },
      };
    }
    case "resumed":
      return { ...next, step: base.step, doing: { kind: entry.calls ? "tool_calls" : "model_call", ...since } };
    case "result": {
      const calls = base.calls.map((name, index) => (index === entry.call ? undefined : name));
      const done = calls.every((name) => name === undefined);
      return { ...next, calls, ...(done && { doing: { kind: "model_call", ...since } }) };
    }
  }
}

function referenceOf({ configuration, agentVersion }: RunJournalEntry): Pick<RunProgress, "runsOn"> {
  if (configuration === undefined) return {};
  return { runsOn: { configuration, ...(agentVersion !== undefined && { agentVersion }) } };
}

/** A turn shows as starting for this long: the first model call is not recorded before it has ended. */
const startMilliseconds = 1_000;

/** What a run does at the time `now`. Undefined: it has no turn in progress, or it waits for a slot or answers. */
export function activityOf(run: Run, progress: RunProgress | undefined, now: number): RunActivity | undefined {
  if (run.status !== "running" || run.waiting || run.askedUntil !== undefined) return undefined;
  const { turn } = run;
  const startedAt = turnStartedAt(run);
  const current = progress && progress.turn >= turn && progress.doing ? progress : undefined;
  if (!current?.doing) return firstStep({ turn, since: startedAt }, now);
  const { doing, step } = current;
  const { kind, since = startedAt, until } = doing;
  const at = { turn: current.turn, since };
  if (kind === "tool_calls") {
    return { ...at, kind, step, tools: current.calls.filter((name) => name !== undefined) };
  }
  if (kind === "retry_wait") {
    if (until === undefined || now < until) return { ...at, kind, step, tools: [], ...(until && { until }) };
    return { ...at, kind: "model_call", step, tools: [], since: until };
  }
  // A turn that waited for a slot began later than its input was recorded.
  if (step === 0) return firstStep({ turn: current.turn, since: Math.max(startedAt, since) }, now);
  return { ...at, kind: "model_call", step: step + 1, tools: [] };
}

/** When an activity becomes another one although nothing is recorded. Undefined: it does not. */
export function activityChange(activity: RunActivity | undefined): number | undefined {
  if (activity?.kind === "starting") return activity.since + startMilliseconds;
  return activity?.kind === "retry_wait" ? activity.until : undefined;
}

function firstStep(begun: Pick<RunActivity, "turn" | "since">, now: number): RunActivity {
  const kind = now < begun.since + startMilliseconds ? "starting" : "model_call";
  return { ...begun, kind, step: 1, tools: [] };
}

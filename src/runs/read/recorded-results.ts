import type { ResultPlace } from "../../agent/tools/result-numbers.ts";
import type { RecordedResult, RecordedResults } from "../../agent/tools/tool.ts";
import { exactInput, type ToolCall } from "../../agent/model.ts";
import type { Runs } from "../ports.ts";
import type { Run, RunEvent } from "../run-types.ts";
import { eventsOf } from "./list-events.ts";

/**
 * The recorded results of a run's tool calls. A read of one result takes some twenty small reads of the store whatever the length
 * of the run: turns and steps grow with the numbers of events.
 */
export function recordedResults(runs: Runs, { id, turn }: Pick<Run, "id" | "turn">): RecordedResults {
  return {
    turn,
    async *at(place) {
      let calls: ToolCall[] = [];
      for await (const event of eventsOf({ runs }, id, await lastBefore(runs, id, place))) {
        if (isAfter(event, place)) return;
        if (!("part" in event)) continue;
        if (event.part === "answer") calls = event.answer.toolCalls;
        const wanted = event.part === "result" && (place.call === undefined || place.call === event.call);
        if (wanted) yield recorded(event, calls);
      }
    },
  };
}

type ResultEvent = Extract<RunEvent, { part: "result" }>;

function recorded({ turn, step, call, result }: ResultEvent, calls: ToolCall[]): RecordedResult {
  const called = calls[call];
  return { turn, step, call, result, input: called && exactInput(called) };
}

/** The number of the last event before the place: a binary search. */
async function lastBefore(runs: Runs, id: string, place: ResultPlace): Promise<number> {
  let [before, after] = [0, ((await runs.head(id))?.sequence ?? 0) + 1];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    const [event] = await runs.listEvents(id, middle - 1, 1);
    if (event && isBefore(event, place)) before = middle;
    else after = middle;
  }
  return before;
}

function isBefore(event: RunEvent, { turn, step = 0 }: ResultPlace): boolean {
  return event.turn < turn || (event.turn === turn && stepOf(event) < step);
}

function isAfter(event: RunEvent, { turn, step = Infinity }: ResultPlace): boolean {
  return event.turn > turn || (event.turn === turn && stepOf(event) > step);
}

/** A turn begins with its input and ends with its output. */
function stepOf(event: RunEvent): number {
  if ("part" in event) return event.step;
  return event.role === "input_to_agent" ? 0 : Infinity;
}

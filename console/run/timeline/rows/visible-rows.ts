import { timeOf } from "../../model/event-values.ts";
import type { Row } from "../../model/run-model-types.ts";

/** Which rows of the timeline are shown. */
export interface RowFilter {
  /** Inputs and outputs only. */
  messages: boolean;
  /** Steps with a failed call or attempt or a result that does not fit, and what interrupted the run. */
  errors: boolean;
}

/** The rows that pass the filter, in order. */
export function visibleRows(rows: Row[], { messages, errors }: RowFilter): Row[] {
  if (messages) return rows.filter(({ kind }) => kind === "message");
  return errors ? rows.filter(isError) : rows;
}

/** Whether something went wrong in a row. */
function isError(row: Row): boolean {
  if (row.kind === "step") {
    const { attempts, calls, problems = [] } = row.step;
    return attempts.length > 0 || problems.length > 0 || calls.some(({ failed }) => failed);
  }
  return row.kind === "gap" || row.kind === "limit";
}

/** When what a row shows began. */
export function timeOfRow(row: Row): number | undefined {
  switch (row.kind) {
    case "step":
      return row.step.attempts[0]?.startedAt ?? row.step.startedAt;
    case "message":
      return row.message.at;
    case "gap":
      return row.gap.from;
    case "idle":
      return row.from;
    case "turn":
      return row.turn.startedAt;
    case "limit":
      return row.turn.endedAt;
    case "summary":
      return timeOf(row.summary.at);
    case "forked":
      return timeOf(row.forked.at);
  }
}

/** When what a row shows ended. */
export function endOfRow(row: Row): number | undefined {
  if (row.kind !== "step") return timeOfRow(row);
  const { calls, attempts } = row.step;
  const ends = [...calls, ...attempts].flatMap(({ endedAt }) => (endedAt === undefined ? [] : [endedAt]));
  return Math.max(row.step.endedAt ?? 0, ...ends) || timeOfRow(row);
}

/** Index of the last row that began at or before a time. */
export function rowAt(rows: Row[], time: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const row = rows[middle];
    if (row && (timeOfRow(row) ?? -Infinity) <= time) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}

/** Indexes of the rows that contain a text. */
export function rowsWith(rows: Row[], text: string): number[] {
  const sought = text.toLowerCase();
  if (sought === "") return [];
  return rows.flatMap((row, index) =>
    textsOf(row).some((each) => each.toLowerCase().includes(sought)) ? [index] : [],
  );
}

function textsOf(row: Row): string[] {
  switch (row.kind) {
    case "step": {
      const { text, reasoning, calls, attempts } = row.step;
      const inCalls = calls.flatMap((call) => [call.name, call.arguments.text, call.result?.text ?? ""]);
      return [text.text, reasoning?.text ?? "", ...inCalls, ...attempts.map(({ title }) => title)];
    }
    case "message":
      return [row.message.text.text];
    case "summary":
      return [row.summary.text];
    case "turn":
    case "forked":
    case "gap":
    case "idle":
    case "limit":
      return [];
  }
}

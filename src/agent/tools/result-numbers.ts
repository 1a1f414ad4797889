import type { ToolResult } from "../model.ts";
import { readResult } from "./definitions.ts";

/** Which results of a run: those of a turn, of a step, or of one call. Turns and steps count from 1, calls from 0. */
export interface ResultPlace {
  turn: number;
  step?: number;
  call?: number;
}

/** The number of a result for the model, such as 2.3.1: turn, step and call, all counted from 1. */
export function resultNumber({ turn, step, call }: Required<ResultPlace>): string {
  return `${turn}.${step}.${call + 1}`;
}

/** Undefined: it is not the number of a result, a step or a turn. */
export function parseResultNumber(text: string): ResultPlace | undefined {
  const [, turn, step, call] = /^([1-9]\d{0,8})(?:\.([1-9]\d{0,8})(?:\.([1-9]\d{0,8}))?)?$/.exec(text.trim()) ?? [];
  if (turn === undefined) return undefined;
  return {
    turn: Number(turn),
    ...(step !== undefined && { step: Number(step) }),
    ...(call !== undefined && { call: Number(call) - 1 }),
  };
}

const maxInputCharacters = 100;

/** One line that names a result: its number, the tool, the beginning of the call's input, and the length. */
export function resultLine(place: Required<ResultPlace>, input: unknown, { name, text, error }: ToolResult): string {
  const json = JSON.stringify(input) ?? "";
  const shown = json.length > maxInputCharacters ? `${json.slice(0, maxInputCharacters).toWellFormed()}…` : json;
  return `${resultNumber(place)} ${name} ${shown}: ${error ? "error, " : ""}${text.length} characters`;
}

/** Whether `read_result` returns results of the tool. What it returned itself is a copy. */
export function canBeReadAgain(tool: string): boolean {
  return tool !== readResult.name;
}

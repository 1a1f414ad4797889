import type { RunModel } from "./model/run-model.ts";
import type { Call, Step } from "./model/run-model-types.ts";

/** A step, or one of its tool calls. In URLs: `TURN.STEP` or `TURN.STEP.CALL`, calls from 1. */
export interface Place {
  turn: number;
  step: number;
  /** Index of the tool call, from 0. */
  call?: number;
}

/** What is selected. */
export interface Selected {
  step: Step;
  call?: Call;
}

export function parsePlace(text: string | null | undefined): Place | undefined {
  const match = /^(\d{1,6})\.(\d{1,6})(?:\.([1-9]\d{0,5}))?$/.exec(text ?? "");
  if (!match) return undefined;
  const place = { turn: Number(match[1]), step: Number(match[2]) };
  return match[3] === undefined ? place : { ...place, call: Number(match[3]) - 1 };
}

export function formatPlace({ turn, step, call }: Place): string {
  return call === undefined ? `${turn}.${step}` : `${turn}.${step}.${call + 1}`;
}

export function findSelected(model: RunModel, place: Place | undefined): Selected | undefined {
  if (!place) return undefined;
  const step = model.step(place.turn, place.step);
  const call = place.call === undefined ? undefined : step?.calls[place.call];
  return step && { step, ...(call && { call }) };
}

/** What is shown before anything is selected: the last step that has calls, and its first failed or first call. */
export function initialPlace({ steps }: RunModel): Place | undefined {
  const step = steps.findLast(({ calls }) => calls.length > 0) ?? steps.at(-1);
  if (!step) return undefined;
  const call = step.calls.find(({ failed }) => failed) ?? step.calls[0];
  return { turn: step.turn, step: step.step, ...(call && { call: call.index }) };
}

/** Places of all steps and their calls, next to a place. `by`: 1 or -1. */
export function neighbour({ steps }: RunModel, from: Selected | undefined, by: 1 | -1): Place | undefined {
  const index = from ? from.step.index + by : by > 0 ? 0 : steps.length - 1;
  const step = steps[index];
  return step && { turn: step.turn, step: step.step, ...(step.calls.length > 0 && { call: 0 }) };
}

/** The call of a step that is next to the selected one. -1 at the first call, and a step without calls: the model call. Undefined: there is none. */
export function nextCall(selected: Selected | undefined, step: Step, by: 1 | -1): Place | undefined {
  const at = selected?.step === step ? (selected.call?.index ?? -1) : -1;
  const call = at + by;
  if (call < -1 || call >= step.calls.length) return undefined;
  return { turn: step.turn, step: step.step, ...(call >= 0 && { call }) };
}

/** "Step 6", or "Turn 2, step 6" in a run with several turns. */
export function placeName(model: RunModel, { turn, step }: Place): string {
  return model.turns.length > 1 ? `Turn ${turn}, step ${step}` : `Step ${step}`;
}

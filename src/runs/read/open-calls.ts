import { argumentsHash, argumentsText, type Answer, type Answerer } from "../../agent/asks.ts";
import type { AskKind } from "../../agent/ask-kinds.ts";
import { ServiceError } from "../../errors.ts";
import type { ToolCall } from "../../agent/model.ts";
import type { Run, RunJournalEntry, TurnState } from "../run-types.ts";

/** A tool call that waits, or waited, for an answer. Times are milliseconds since 1970. */
export interface AskedCall {
  /** `TURN.STEP.CALL`, the call from 0 in the order of the answer. */
  id: string;
  step: number;
  call: number;
  kind: AskKind;
  name: string;
  /** JSON text. */
  arguments: string;
  argumentsHash: string;
  since: number;
  until: number;
  /** Absent: it has none. */
  answer?: { answer: Answer; by?: Answerer; at: number };
}

/** The id of a call, as every interface shows it. */
export function callId({ turn, step, call }: { turn: number; step: number; call: number }): string {
  return `${turn}.${step}.${call}`;
}

/** The calls of the current turn that asked for an answer, in the order of asking. */
export function askedCalls({ run, journal }: Pick<TurnState, "run" | "journal">): AskedCall[] {
  let calls: ToolCall[] = [];
  const asked: AskedCall[] = [];
  for (const entry of journal) {
    if (entry.part === "answer") calls = entry.answer.toolCalls;
    if (entry.part === "asked") asked.push(askedCall(run, entry, calls[entry.call]));
    if (entry.part !== "answered") continue;
    const of = asked.find(({ step, call }) => step === entry.step && call === entry.call);
    const { answer, by, at = 0 } = entry;
    if (of) of.answer = { answer, ...(by && { by }), at };
  }
  return asked;
}

/** Those of the calls that wait now. Empty unless the run waits for answers. */
export function openCalls(state: Pick<TurnState, "run" | "journal">): AskedCall[] {
  return state.run.askedUntil === undefined ? [] : askedCalls(state).filter(({ answer }) => !answer);
}

/** The call with this id, open or answered. Throws `call_not_found` if the turn has not asked for an answer to it. */
export function findCall(state: Pick<TurnState, "run" | "journal">, id: string): AskedCall {
  const found = askedCalls(state).find((each) => each.id === id);
  if (found) return found;
  const open = openCalls(state).map((each) => each.id);
  const hint = open.length > 0 ? `it waits for answers to ${open.join(", ")}` : "it does not wait for any answer now";
  throw new ServiceError(
    "call_not_found",
    `run ${state.run.id} has not asked for an answer to call ${id} in its turn; ${hint}`,
  );
}

function askedCall(
  { turn }: Run,
  { step, call, kind, until, at = 0 }: Extract<RunJournalEntry, { part: "asked" }>,
  toolCall: ToolCall = { id: "", name: "", input: {} },
): AskedCall {
  return {
    id: callId({ turn, step, call }),
    step,
    call,
    kind,
    name: toolCall.name,
    arguments: argumentsText(toolCall),
    argumentsHash: argumentsHash(toolCall),
    since: at,
    until,
  };
}

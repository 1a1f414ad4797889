import { type CheckResult, problemText, type ResultProblem } from "../../results/result-types.ts";
import type { AnswerEntry } from "./journal.ts";
import type { TurnState } from "./turn-types.ts";

/**
 * An answer that ends a turn with a result, checked against its schema.
 * - `text`: the output of the turn: the JSON, or what the model wrote instead.
 * - `correctable`: another answer may fit.
 */
interface CheckedAnswer {
  entry: AnswerEntry;
  text: string;
  correctable: boolean;
}

/** Checks the answer, if the turn has a schema. The entry records the outcome. */
export async function checkedAnswer({ input, ports }: TurnState, entry: AnswerEntry): Promise<CheckedAnswer> {
  const { text } = entry.answer;
  if (!input.resultSchema) return { entry, text, correctable: false };
  const json = withoutFence(text);
  const cut = entry.ended === "answer_length";
  const check = cut
    ? { problems: [cutOff] }
    : await (ports.checkResult ?? noCheck)(input.resultSchema, json, ports.signal);
  const problems = "unchecked" in check ? [uncheckedProblem(check.unchecked)] : check.problems;
  if (problems.length === 0) return { entry: { ...entry, checked: {} }, text: json, correctable: false };
  return { entry: { ...entry, checked: { problems } }, text, correctable: !cut && !("unchecked" in check) };
}

/** The message that asks for a result that fits. */
export function correctionNote(problems: ResultProblem[]): string {
  const lines = problems.map((problem) => `- ${problemText(problem)}`);
  return ["Your result does not fit its schema:", ...lines, "Send the whole result again, corrected."].join("\n");
}

/** Many models put JSON into a fenced block when no format keeps them from it. */
function withoutFence(text: string): string {
  const trimmed = text.trim();
  return /^```(?:json)?[ \t]*\n([\s\S]*?)\n?```$/.exec(trimmed)?.[1]?.trim() ?? trimmed;
}

const cutOff: ResultProblem = {
  place: "",
  expected: "a whole answer",
  received: "one that was cut at the maximum number of output tokens",
};

function uncheckedProblem(reason: string): ResultProblem {
  return { place: "", expected: "a result that can be checked", received: `one that could not be: ${reason}` };
}

const noCheck: CheckResult = async () => ({ unchecked: "this service cannot check results" });

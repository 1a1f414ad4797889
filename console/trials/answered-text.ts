import { count } from "../run/text/words.ts";

/** A recorded step. */
interface Step {
  /** Null: the candidate has not answered it. */
  candidate: object | null;
  /** Null: nothing differs, or there is no answer. */
  difference: string | null;
}

/** How many steps of a case differ, of those that the candidate has answered. `hasEnded`: it answers no others. */
export function answeredText(steps: Step[], hasEnded: boolean): string {
  const answered = steps.filter(({ candidate }) => candidate !== null).length;
  const differing = steps.filter(({ difference }) => difference !== null).length;
  if (answered === 0) return hasEnded ? "none answered" : "none answered yet";
  const all = count(steps.length, "step");
  const differ = differing === 1 ? "differs" : "differ";
  if (answered < steps.length)
    return `${answered} of ${all} answered, ${differing === 0 ? "no differences" : `${differing} ${differ}`}`;
  return differing === 0 ? "all are the same" : `${differing} of ${all} ${differ}`;
}

/** Where a result does not fit its schema. */
export interface ResultProblem {
  /** JSON Pointer of the value, such as `/lines/0/amount`. Empty: the whole result. */
  place: string;
  /** What the schema accepts there. */
  expected: string;
  /** The value as JSON, cut after 200 characters, or `nothing`. */
  received: string;
}

/** A problem as a clause: `/total: expected number, received "12"`. */
export function problemText({ place, expected, received }: ResultProblem): string {
  return `${place === "" ? "the result" : place}: expected ${expected}, received ${received}`;
}

/** Problems as a clause each, in one line. */
export function problemsText(problems: ResultProblem[]): string {
  return problems.map(problemText).join("; ");
}

/** Checks a result against the schema of its agent. `unchecked`: why it could not be checked, as a clause. */
export type CheckResult = (
  schema: object,
  text: string,
  signal: AbortSignal,
) => Promise<{ problems: ResultProblem[] } | { unchecked: string }>;

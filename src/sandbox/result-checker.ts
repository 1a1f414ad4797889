import type { CheckResult, ResultProblem } from "../results/result-types.ts";
import { sandboxLimits } from "./program-limits.ts";
import { problemClause } from "./problem-clause.ts";
import type { Sandbox } from "./sandbox-types.ts";

/** Checks results in a sandbox: a schema can be made so that a check never ends. */
export function sandboxResultChecker(sandbox: Sandbox): CheckResult {
  return async (schema, text, signal) => {
    const content = new TextEncoder().encode(text);
    if (content.length > sandbox.maxBytes) return { unchecked: `it has more than ${sandbox.maxBytes} bytes` };
    const { output, problem } = await sandbox.run(
      {
        engine: "result",
        program: JSON.stringify(schema),
        files: [{ name: "result.json", content }],
        seconds: sandboxLimits.resultSeconds,
      },
      signal,
    );
    if (problem === undefined) return { problems: JSON.parse(output) as ResultProblem[] };
    return { unchecked: problemClause(problem, "the check") };
  };
}

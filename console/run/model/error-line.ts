/** Tools whose calls run a program that the model wrote. */
export const programTools: readonly string[] = ["run_shell", "run_python", "run_javascript"];

const exitLine = /^The (?:script|program) ended with exit code (\d+)\.$/;

/** How the error of a JavaScript program begins. Its message can have further lines. */
const thrown = /^(?:Uncaught |\w*(?:Error|Exception): )/;

/**
 * The line that says why a call failed. `result`: the complete result.
 * Of a program that ended with an exit code, the code and the last line that it printed: its error. Of one that was stopped,
 * the reason, which is the last line.
 */
export function errorLine(tool: string, result: string): string {
  const lines = result.split("\n").filter((each) => each.trim() !== "");
  if (tool === "run_javascript") {
    const last = lines.at(-1) ?? "";
    return last.startsWith("The program ") ? last : (lines.findLast((each) => thrown.test(each)) ?? last);
  }
  if (!programTools.includes(tool)) {
    return lines.find((each) => /\b\w*(error|exception)\b/i.test(each)) ?? lines[0] ?? "";
  }
  const last = lines.at(-1) ?? "";
  const code = exitLine.exec(last)?.[1];
  if (code === undefined) return last;
  // Notes of the service, such as `[Wrote a.csv (12 bytes).]`, stand between the output and the exit code.
  const printed = lines.slice(0, -1).findLast((each) => !/^\[.*\]$/.test(each));
  return printed === undefined ? `exit code ${code}` : `exit code ${code}: ${printed}`;
}

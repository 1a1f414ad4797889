/** The problem of a sandbox as a clause about a file. `work`: what the sandbox did with it, such as `reading it`. */
export function problemClause(problem: string, work: string): string {
  return problem
    .replace(/^The program was stopped after/, `${work} took more than`)
    .replace(/^The program was stopped: it used/, `${work} needed`)
    .replace(/^(?:The|None) /, (word) => word.toLowerCase())
    .replace(/\.$/, "");
}

import type { AgentDefinition } from "../accounts/account-types.ts";
import { type ExistingFile, type FileVersion, filesIn, manifestOf } from "../agent/turn/files/manifest.ts";
import { patternCompiler } from "../results/linear-pattern.ts";
import { schemaProblems } from "../results/schema-problems.ts";
import { type CheckResult, problemsText } from "../results/result-types.ts";
import type { TurnFacts } from "./cases/turn-facts.ts";
import type { Assertion, AssertionOutcome } from "./trial-types.ts";

/** What assertions are checked against. `files`: all files of the run after the turn. */
export interface CheckedTurn {
  facts: TurnFacts;
  files: FileVersion[];
}

/**
 * - `checkResult`: checks schemas and matches patterns. Both can take long, so it has a time limit of its own.
 * - `readFile`: reads a file's content, of at most `maxMatchedBytes`. Undefined: it is no longer kept.
 */
export interface AssertionDeps {
  checkResult: CheckResult;
  readFile: (file: ExistingFile) => Promise<Uint8Array | undefined>;
  signal: AbortSignal;
}

/**
 * Bytes of a text that a pattern is matched against. Most patterns take under 0.1 s for them. Some, such as `a[ab]{400}[cd]`, take
 * 10 s for one million.
 */
export const maxMatchedBytes = 4 * 1024 * 1024;

/** Characters of a value in a reason. */
const maxReceived = 200;
/** Characters of a reason: a result has up to ten problems. */
const maxReason = 1_000;
/** Names of tools in a reason. */
const maxNames = 10;

/** Checks all assertions, in order. */
export async function checkAssertions(
  assertions: Assertion[],
  turn: CheckedTurn,
  deps: AssertionDeps,
): Promise<AssertionOutcome[]> {
  const outcomes: AssertionOutcome[] = [];
  for (const [index, assertion] of assertions.entries()) {
    const reason = await brokenBecause(assertion, turn, deps);
    outcomes.push({
      assertion: index,
      holds: reason === undefined,
      ...(reason !== undefined && { reason: cut(reason, maxReason) }),
    });
  }
  return outcomes;
}

/** Undefined: the assertion holds. */
async function brokenBecause(
  assertion: Assertion,
  turn: CheckedTurn,
  deps: AssertionDeps,
): Promise<string | undefined> {
  const { facts } = turn;
  switch (assertion.kind) {
    case "output_matches":
      return facts.output === undefined
        ? `Expected an output that matches ${shown(assertion.pattern)}, received none.`
        : mismatch("an output", assertion.pattern, facts.output, deps);
    case "output_fits":
      return misfit(assertion.schema, facts.output, deps);
    case "tool_called":
    case "tool_not_called":
      return wrongCalls(assertion, facts);
    case "at_most":
      return excess(assertion, facts);
    case "file_exists":
    case "file_equals":
    case "file_matches":
      return wrongFile(assertion, turn, deps);
  }
}

async function mismatch(
  what: string,
  pattern: string,
  text: string,
  { checkResult, signal }: AssertionDeps,
): Promise<string | undefined> {
  const expected = `Expected ${what} that matches ${shown(pattern)}`;
  const bytes = Buffer.byteLength(text);
  if (bytes > maxMatchedBytes) return `${expected}, received ${tooLarge(bytes)}`;
  const checked = await checkResult({ type: "string", pattern }, JSON.stringify(text), signal);
  if ("unchecked" in checked) return `${expected}, but the match could not be checked: ${checked.unchecked}.`;
  return checked.problems.length === 0 ? undefined : `${expected}, received ${shown(text)}.`;
}

async function misfit(
  schema: object,
  output: string | undefined,
  { checkResult, signal }: AssertionDeps,
): Promise<string | undefined> {
  if (output === undefined) return "Expected an output that fits the schema, received none.";
  const checked = await checkResult(schema, output, signal);
  if ("unchecked" in checked) return `The output could not be checked against the schema: ${checked.unchecked}.`;
  const { problems } = checked;
  return problems.length === 0 ? undefined : `The output does not fit the schema: ${problemsText(problems)}`;
}

function wrongCalls(
  { kind, name }: Extract<Assertion, { kind: "tool_called" | "tool_not_called" }>,
  { calls }: TurnFacts,
): string | undefined {
  const first = calls.find((call) => call.name === name);
  if (kind === "tool_not_called") {
    return first && `Expected no call of ${name}, received one in step ${first.step}.`;
  }
  if (first) return undefined;
  const names = [...new Set(calls.map((call) => call.name))];
  const more = names.length > maxNames ? ` and ${names.length - maxNames} more` : "";
  const received = names.length === 0 ? "no calls" : `calls of ${names.slice(0, maxNames).join(", ")}${more}`;
  return `Expected a call of ${name}, received ${received}.`;
}

type Ceiling = Extract<Assertion, { kind: "at_most" }>;

function excess({ steps, dollars, seconds }: Ceiling, { used, priced }: TurnFacts): string | undefined {
  const reasons: string[] = [];
  if (steps !== undefined && used.steps > steps) reasons.push(`at most ${steps} steps, received ${used.steps}`);
  if (dollars !== undefined && !priced) {
    reasons.push(`at most $${dollars}, received no cost, because the agent has no prices`);
  } else if (dollars !== undefined && used.dollars > dollars) {
    reasons.push(`at most $${dollars}, received $${significant(used.dollars)}`);
  }
  const passed = used.milliseconds / 1_000;
  if (seconds !== undefined && passed > seconds)
    reasons.push(`at most ${seconds} s, received ${significant(passed)} s`);
  return reasons.length === 0 ? undefined : `Expected ${reasons.join("; ")}.`;
}

type FileAssertion = Extract<Assertion, { kind: "file_exists" | "file_equals" | "file_matches" }>;

async function wrongFile(
  assertion: FileAssertion,
  { files }: CheckedTurn,
  deps: AssertionDeps,
): Promise<string | undefined> {
  const { kind, name } = assertion;
  const file = filesIn(manifestOf(files)).find((each) => each.name === name && each.kind !== "folder");
  if (!file) return `Expected a file ${name}, received none of this name.`;
  if (kind === "file_exists") return undefined;
  if (kind === "file_equals") {
    const received = file.sha256 ?? "an unknown one";
    if (file.sha256 === assertion.sha256) return undefined;
    return `Expected ${name} with the SHA-256 ${assertion.sha256}, received ${received}.`;
  }
  const expected = `Expected a file ${name} that matches ${shown(assertion.pattern)}`;
  if (file.size > maxMatchedBytes) return `${expected}, received ${tooLarge(file.size)}`;
  const content = await deps.readFile(file);
  if (!content) return `${expected}, but its content is no longer kept.`;
  const text = decoded(content);
  if (text === undefined) return `${expected}, received a file that is not UTF-8 text.`;
  return mismatch(`a file ${name}`, assertion.pattern, text, deps);
}

function decoded(content: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch {
    return undefined;
  }
}

function tooLarge(bytes: number): string {
  return `${bytes} bytes. Patterns are matched against at most ${maxMatchedBytes} bytes.`;
}

/** A text as JSON, on one line, cut after `maxReceived` characters. */
function shown(text: string): string {
  return JSON.stringify(cut(text, maxReceived));
}

function cut(text: string, characters: number): string {
  return text.length > characters ? `${text.slice(0, characters).toWellFormed()}…` : text;
}

/** Four significant digits: `0.01235`, `312.5`. */
function significant(value: number): string {
  return String(Number(value.toPrecision(4)));
}

/** Why an assertion that fits its schema cannot be used, as a sentence. Undefined: it can. `definition`: of the candidate. */
export async function assertionProblem(
  assertion: Assertion,
  definition: Pick<AgentDefinition, "prices">,
): Promise<string | undefined> {
  const { kind } = assertion;
  if ("name" in assertion && assertion.name.trim() === "") {
    const what = kind.startsWith("file") ? "a file" : "a tool";
    return `${kind}.name: expected the name of ${what}, received ${shown(assertion.name)}.`;
  }
  if ("pattern" in assertion) return patternProblem(kind, assertion.pattern);
  if (kind === "output_fits") {
    const problems = await schemaProblems(assertion.schema);
    return problems.length === 0 ? undefined : `output_fits.schema: ${problems.join("; ")}.`;
  }
  return kind === "at_most" ? ceilingProblem(assertion, definition) : undefined;
}

async function patternProblem(kind: string, pattern: string): Promise<string | undefined> {
  if (pattern === "")
    return `${kind}.pattern: expected a regular expression, received an empty text, which matches everything.`;
  const compile = await patternCompiler();
  try {
    compile(pattern);
    return undefined;
  } catch (error) {
    const reason = (error as Error).message.replace(/\.$/, "");
    return `${kind}.pattern: expected a regular expression of RE2, which has no lookahead, lookbehind and backreferences: ${reason}.`;
  }
}

function ceilingProblem(
  { steps, dollars, seconds }: Ceiling,
  { prices }: Pick<AgentDefinition, "prices">,
): string | undefined {
  if ([steps, dollars, seconds].every((each) => each === undefined)) {
    return "at_most: expected steps, dollars or seconds, received none of them.";
  }
  if (dollars === undefined || prices) return undefined;
  return "at_most.dollars: the candidate has no prices, so its cost is unknown. Set prices in the agent, or remove dollars.";
}

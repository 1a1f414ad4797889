import type { Schemas } from "../../../src/manage/schema-types.ts";
import { inDollars, verdictWords } from "../../../src/trials/describe-trial.ts";
import { needsReview } from "../../../src/trials/verdict.ts";
import { printableLine } from "../../printable.ts";
import { indentedText, type Output, record, rowsText } from "../output.ts";

type Trial = Schemas["Trial"];
type TrialCase = Schemas["TrialCase"];

/** Characters of the arguments of a call in a case. */
const maxArguments = 160;

/** The cases, expected cost and destinations of a trial, as lines to read before it starts. `agent`: its name. */
export function estimateLines(trial: Trial, cases: TrialCase[], agent: string, control: number): string[] {
  const { estimate, judge, candidate } = trial;
  const also = Math.min(control, estimate.cases);
  return [
    `Trial ${trial.id}: ${triedText(candidate)} on recorded turns of ${agent}`,
    `  ${counted(estimate.cases, "case")}${also > 0 ? `, and ${also} of them with the current configuration, too` : ""}`,
    ...refusals(cases),
    ...(judge ? [`  judge: ${judge.name}, for cases whose output differs`] : []),
    `  expected: ${expectedText(trial)}`,
    ...estimate.notes.map((note) => `  ${note}`),
    ...(estimate.sends.length === 0 ? ["  nothing is sent to another host"] : estimate.sends.map(destinationText)),
  ];
}

/** Why cases cannot be tried, one line for each reason. */
function refusals(cases: TrialCase[]): string[] {
  const refused = cases.filter((one) => one.cannot_be_tried !== null);
  return [...Map.groupBy(refused, (one) => one.cannot_be_tried)].map(
    ([reason, same]) =>
      `  ${same.length} cannot be tried: ${reason} (${counted(same.length, "run")}: ${same.map((one) => one.run_id).join(", ")})`,
  );
}

function expectedText({ estimate: { dollars, tokens }, budget }: Trial): string {
  const expected = [
    ...(dollars ? [`${inDollars(dollars.low)} to ${inDollars(dollars.high)}`] : []),
    ...(tokens ? [`${tokens.low.toLocaleString("en-US")} to ${tokens.high.toLocaleString("en-US")} tokens`] : []),
  ];
  const limits = [
    ...(budget.dollars === null ? [] : [inDollars(budget.dollars)]),
    ...(budget.tokens === null ? [] : [`${budget.tokens.toLocaleString("en-US")} tokens`]),
  ];
  return `${expected.join(", ") || "unknown"}${limits.length > 0 ? `; budget: ${limits.join(", ")}` : ""}`;
}

function destinationText({
  host,
  for: purpose,
  inputs,
  files,
  new: isNew,
}: Trial["estimate"]["sends"][number]): string {
  if (purpose === "mcp_list")
    return `  connects to ${host}: lists the tools of an MCP server; nothing of a run is sent`;
  if (purpose === "live_calls") return `  sends to ${host}: calls that the record does not answer, by the rule live`;
  const sent = purpose === "judge" ? "their outputs for the judge" : counted(files, "file");
  const what = `${counted(inputs, "input")} and ${sent}`;
  return `  sends to ${host}: ${what}${isNew ? ", which some recorded turns did not use" : ""}`;
}

export interface TrialOutputOptions {
  onlyReview?: boolean;
  /** Conditions of `--fail-if` that hold. Undefined: there are none to check. */
  failed?: string[] | undefined;
}

/** What a trial says, and its cases: all, or only those that need review. The JSON has all. */
export function trialOutput(
  trial: Trial,
  cases: TrialCase[],
  { onlyReview = false, failed }: TrialOutputOptions = {},
): Output {
  const shown = cases.filter(({ verdict }) => !onlyReview || needsReview(verdict)).map(caseRow);
  const columns = ["case", "verdict", "steps", "cost", "run", "turn", "what"];
  const text = `${trialText(trial)}\n\n${rowsText(shown, columns, "No case needs review.")}`;
  return { text, json: { trial, cases, ...(failed && { failed }) } };
}

/** What the cases of a trial say. */
export function trialText({ summary, ended_by: endedBy }: Trial): string {
  const { text, control, medians, preference, verdicts, open } = summary;
  return [
    text,
    ...(endedBy === "budget" ? [`The budget is used up: ${counted(open, "case")} without a verdict.`] : []),
    ...(endedBy === "operator" ? ["The trial was stopped."] : []),
    ...(control?.cannot_judge ? [control.cannot_judge] : []),
    ...(verdicts.better + verdicts.worse > 0 ? [preference] : []),
    ...(medians ? [medianText(medians)] : []),
  ].join("\n");
}

function medianText({ cases, steps, dollars }: Schemas["TrialMedians"]): string {
  const cost = dollars ? `, ${change(inDollars(dollars.recorded), inDollars(dollars.tried))}` : "";
  return `Medians of ${counted(cases, "case")}, recorded → tried: ${change(steps.recorded, steps.tried)} steps${cost}`;
}

/** A case on one line. */
export function caseRow(one: Schemas["TrialCase"]) {
  const { recorded, candidate } = one;
  const used = candidate?.used;
  return {
    case: one.number,
    verdict: one.verdict ? verdictWords[one.verdict] : "-",
    steps: change(recorded.steps, used?.steps),
    cost: change(costText(recorded.dollars), used ? costText(used.dollars) : undefined),
    run: one.run_id,
    turn: one.turn,
    what: whatText(one),
  };
}

/** The reasons, differences and reviewer of a case, in one line. */
function whatText(one: Schemas["TrialCase"]): string {
  const { verdict, judged_by: by, judgement, cannot_be_tried: refused, candidate } = one;
  const {
    ended = null,
    reason = null,
    same_output: same = null,
    files = [],
    missing = [],
    assertions = [],
    misses = [],
  } = candidate ?? {};
  const parts = [
    ...(refused === null ? [] : [refused]),
    ...(reason === null ? [] : [reason]),
    ...assertions.map((broken) => `assertion ${broken.assertion + 1}: ${broken.reason}`),
    ...(same === false ? ["the output differs"] : []),
    ...files.map(({ name, change: how }) => `${name} ${how}`),
    ...missing.map(({ tool, recorded, tried }) => `${tool} called ${tried} of ${recorded} times`),
    ...misses.map(({ tool, rule }) => `${tool} answered by the rule ${rule}`),
    ...(judgement?.verdict ? [`judge: ${judgement.verdict}`] : []),
    ...(by === null ? [] : [`judged by ${by}`]),
    ...(verdict === null ? [ended === "stopped" ? "stopped" : candidate ? "in progress" : "not tried"] : []),
  ];
  return parts.join("; ") || "-";
}

/** A case with the texts and calls of both turns. Calls are shown as a diff: `-` recorded, `+` candidate. */
export function caseText(detail: Schemas["TrialCaseDetail"]): string {
  const { turn, what, ...fields } = caseRow(detail.case);
  const runs = { tried_run: detail.case.candidate?.run_id, control_run: detail.case.control?.run_id };
  return [
    record({ ...fields, turn, ...runs, what }).text,
    ...section("input", detail.input),
    ...section("recorded output", detail.recorded_output),
    ...section("candidate output", detail.candidate_output),
    ...section("output of the current configuration", detail.control_output),
    ...judgementLines(detail.case),
    ...(detail.calls.length > 0 ? ["", "calls (- recorded, + candidate):", ...detail.calls.flatMap(callLines)] : []),
  ].join("\n");
}

/** What the judge says, and both of its votes. */
function judgementLines({ judgement }: Schemas["TrialCase"]): string[] {
  if (!judgement) return [];
  const votes = judgement.votes.map(({ a, better, reason }) =>
    indentedText(
      `${a} output as A: ${better === null ? "no vote" : betterWords[better]}${reason === null ? "" : `. ${reason}`}`,
    ),
  );
  return ["", `judge: ${judgement.verdict ?? "no verdict"}`, ...votes];
}

const betterWords = {
  recorded: "the recorded output is better",
  candidate: "the candidate's output is better",
  equal: "both are equal",
};

function section(title: string, text: string | null): string[] {
  return text === null ? [] : ["", `${title}:`, indentedText(text)];
}

function callLines({ recorded, candidate, same }: Schemas["TrialCaseDetail"]["calls"][number]): string[] {
  if (same && recorded) return [callLine(" ", recorded)];
  return [...(recorded ? [callLine("-", recorded)] : []), ...(candidate ? [callLine("+", candidate)] : [])];
}

function callLine(
  mark: string,
  { step, name, arguments: given }: Pick<Schemas["TrialCall"], "step" | "name" | "arguments">,
): string {
  return `  ${mark} step ${step}  ${printableLine(`${name} ${given}`, maxArguments)}`;
}

/** Trials of an agent, one per line. */
export function trialsText({ data }: Schemas["TrialHeadPage"]): string {
  const rows = data.map((head) => Object.assign({}, head, { candidate: triedText(head.candidate) }));
  const columns = ["id", "status", "created_at", "candidate", "summary"];
  return rowsText(rows, columns, "No trials. Try a change: agent try AGENT --file draft.json");
}

function triedText({ version }: { version?: number | null }): string {
  return version == null ? "a draft" : `version ${version}`;
}

function costText(dollars: number | null): string {
  return dollars === null ? "?" : inDollars(dollars);
}

function change(recorded: string | number, tried: string | number | undefined): string {
  return tried === undefined ? String(recorded) : `${recorded} → ${tried}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

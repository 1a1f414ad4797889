import { modelNameOf } from "../../accounts/agents/model-name.ts";
import { argumentsText } from "../../agent/asks.ts";
import { startOf } from "../../runs/text.ts";
import type { Spent } from "../../trials/budget.ts";
import { describeTrial } from "../../trials/describe-trial.ts";
import { estimateNotes, measuredEstimate } from "../../trials/estimate.ts";
import type { CaseDetail } from "../../trials/cases/side-by-side.ts";
import { summarize, type TrialSummary } from "../../trials/summary.ts";
import type { TurnCall } from "../../trials/cases/turn-facts.ts";
import type { Trial, TrialCase, TriedConfiguration } from "../../trials/trial-types.ts";
import { verdictOf } from "../../trials/verdict.ts";
import type { Schemas } from "../call.ts";
import { wireDefinition } from "./agent.ts";
import { wire } from "./by-schema.ts";
import { wireAttempt, wireJudgement, wireUsed } from "./trial-attempt.ts";

/** Characters of a result in a case. The run of the attempt has all of it. */
const maxResult = 2_000;

export function wireTrialHead(trial: Trial, cases: TrialCase[]): Schemas["TrialHead"] {
  const [candidate, control] = [configurationOf(trial.candidate), configurationOf(trial.control)];
  const suite = trial.suite?.name;
  const summary = describeTrial(trial, summarize(trial, cases));
  return wire("TrialHead", { ...trial, mode: trial.mode ?? "rerun", candidate, control, suite, summary });
}

export function wireTrial(trial: Trial, cases: TrialCase[]): Schemas["Trial"] {
  const { candidate, judge, settings, estimate } = trial;
  const { outside, assertions, budget, tier } = settings;
  const remaining = measuredEstimate(trial, cases);
  const { summary: text, ...head } = wireTrialHead(trial, cases);
  return {
    ...head,
    definition: wireDefinition(candidate.definition),
    outside: { default: outside.default, tools: outside.tools ?? {} },
    assertions,
    tier: tier ?? null,
    judge: judge
      ? wire("TrialJudge", { ...configurationOf(judge), name: judge.definition.name, agentId: judge.agentId })
      : null,
    budget: { dollars: budget.dollars ?? null, tokens: budget.tokens ?? null },
    estimate: {
      cases: estimate.cases,
      tokens: estimate.tokens ?? null,
      dollars: estimate.dollars ?? null,
      notes: estimateNotes({ ...estimate, ...(tier && { tier }) }),
      sends: estimate.sends,
    },
    remaining: trial.status === "running" && remaining ? wireSpent(remaining) : null,
    summary: { text, ...wireSummary(summarize(trial, cases)) },
  };
}

function configurationOf({ version, hash, definition, provider }: TriedConfiguration) {
  const { model } = definition;
  const named = modelNameOf({ ...(model !== undefined && { model }) }, provider && { model: provider });
  return { version, hash, model: named };
}

function wireSummary(summary: TrialSummary): Omit<Schemas["Trial"]["summary"], "text"> {
  const { verdicts, tried, open, missing, preference, control, spent, medians } = summary;
  return {
    verdicts,
    tried,
    open,
    missing,
    preference: preference.conclusion,
    control: control ? wire("TrialControl", control) : null,
    spent: {
      candidate: wireSpent(spent.candidate),
      control: wireSpent(spent.control),
      judge: spent.judge ? wireSpent(spent.judge) : null,
    },
    medians: medians ? wire("TrialMedians", medians) : null,
  };
}

function wireSpent(spent: Spent): Schemas["TrialSpent"] {
  return wire("TrialSpent", spent);
}

export function wireCase({ candidate, control, judge }: Trial, one: TrialCase): Schemas["TrialCase"] {
  const { number, source, verdict, cannotBeTried } = one;
  const recordedPriced = source.used.dollars > 0;
  return {
    number,
    run_id: source.runId,
    turn: source.turn,
    input: source.input ?? "",
    verdict: verdictOf(one) ?? null,
    judged_by: verdict?.by ?? null,
    judgement: wireJudgement(one, judge),
    cannot_be_tried: cannotBeTried ?? null,
    recorded: wireUsed(source.used, recordedPriced),
    candidate: one.candidate ? wireAttempt(one.candidate, candidate) : null,
    control: one.control ? wireAttempt(one.control, control) : null,
  };
}

export function wireCaseDetail(
  trial: Trial,
  one: TrialCase,
  { recorded, candidate, control, calls }: CaseDetail,
): Schemas["TrialCaseDetail"] {
  return {
    case: wireCase(trial, one),
    input: recorded.input ?? "",
    recorded_output: recorded.output ?? null,
    candidate_output: candidate?.output ?? null,
    control_output: control?.output ?? null,
    calls: calls.rows.map(({ left, right, same }) => ({
      recorded: left ? wireCall(left) : null,
      candidate: right ? wireCall(right) : null,
      same,
    })),
    first_difference: calls.firstDifference ?? null,
  };
}

/** A call with the beginning of its result. */
export function wireCall(call: TurnCall): Schemas["TrialCall"] {
  const { step, name, result } = call;
  const text = result && startOf(result.text, maxResult);
  return {
    step,
    name,
    arguments: argumentsText(call),
    is_error: result ? result.error === true : null,
    result: text ?? null,
  };
}

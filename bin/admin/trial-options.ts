import { readFile } from "node:fs/promises";
import type { MissRule } from "../../src/agent/tools/recorded.ts";
import { issuesOf } from "../../src/http/validation/violation-issues.ts";
import { maxCases, maxConcurrency } from "../../src/trials/limits.ts";
import { type TrialMode, type TrialTier, trialTiers } from "../../src/trials/names.ts";
import type { CaseSelection } from "../../src/trials/select-cases.ts";
import type { Assertion, OutsideRules, TrialBudget, TrialSettings } from "../../src/trials/types.ts";
import { CliError } from "../cli.ts";
import { labelOf, timeOf, wholeNumber } from "./option-values.ts";

/** Options of `agent try` for its cases and settings, as typed. */
export interface TrialOptions {
  mode: string;
  last?: string;
  label?: string;
  since?: string;
  run?: string[];
  suite?: string;
  control: string;
  concurrency: string;
  budget?: string;
  budgetTokens?: string;
  tier?: string;
  assertFile?: string;
  onMiss: string;
  toolMiss?: string[];
}

/** Modes as they are typed. */
export const typedModes: Record<string, TrialMode> = { rerun: "rerun", "next-step": "next_step", replay: "replay" };

export function modeOf({ mode: typed }: Pick<TrialOptions, "mode">): TrialMode {
  const mode = Object.hasOwn(typedModes, typed) ? typedModes[typed] : undefined;
  if (mode) return mode;
  throw new CliError(`--mode is ${JSON.stringify(typed)}; expected ${Object.keys(typedModes).join(", ")}`);
}

const defaultLast = 20;

/** The turns that are tried. */
export function selectionOf({ last, label, since, run, suite }: TrialOptions): CaseSelection {
  if (suite !== undefined) {
    const other = Object.entries({ last, label, since, run }).find(([, value]) => value !== undefined);
    if (other) throw new CliError(`--suite and --${other[0]} cannot be used together; the suite has its cases`);
    return { suite };
  }
  if (run) {
    const other = Object.entries({ last, label, since }).find(([, value]) => value !== undefined);
    if (other) throw new CliError(`--run and --${other[0]} cannot be used together; --run names the cases`);
    return { runs: run.map(turnOf) };
  }
  return {
    last: last === undefined ? defaultLast : wholeNumber("--last", last, maxCases),
    ...(label !== undefined && { label: labelOf("--label", label) }),
    ...(since !== undefined && { since: timeOf("--since", since) }),
  };
}

/** A run, or `RUN.TURN`. */
export function turnOf(text: string): { runId: string; turn?: number } {
  const [, runId, turn] = /^([^.]+)(?:\.(\d{1,9}))?$/.exec(text) ?? [];
  if (runId === undefined) throw new CliError(`--run is ${JSON.stringify(text)}; expected ID, or ID.TURN such as ID.2`);
  return { runId, ...(turn !== undefined && { turn: Number(turn) }) };
}

export async function settingsOf(options: TrialOptions): Promise<TrialSettings> {
  const { control, concurrency, assertFile, tier } = options;
  return {
    budget: modeOf(options) === "replay" && !hasBudget(options) ? {} : budgetOf(options),
    outside: outsideOf(options),
    control: wholeNumber("--control", control, maxCases, 0),
    concurrency: wholeNumber("--concurrency", concurrency, maxConcurrency),
    ...(tier !== undefined && { tier: tierOf(tier) }),
    assertions: assertFile === undefined ? [] : await readAssertions(assertFile),
  };
}

function tierOf(typed: string): TrialTier {
  const tier = trialTiers.find((each) => each === typed);
  if (tier) return tier;
  throw new CliError(`--tier is ${JSON.stringify(typed)}; expected ${trialTiers.join(", ")}`);
}

function hasBudget({ budget, budgetTokens }: TrialOptions): boolean {
  return budget !== undefined || budgetTokens !== undefined;
}

function budgetOf(options: TrialOptions): TrialBudget {
  const { budget, budgetTokens } = options;
  if (!hasBudget(options)) {
    throw new CliError(
      "--budget is missing; limit what the trial may use: --budget DOLLARS, or --budget-tokens N for an agent without prices",
    );
  }
  return {
    ...(budget !== undefined && { dollars: dollarsOf(budget) }),
    ...(budgetTokens !== undefined && { tokens: wholeNumber("--budget-tokens", budgetTokens, 1_000_000_000_000) }),
  };
}

function dollarsOf(text: string): number {
  if (/^\d{1,9}(\.\d{1,9})?$/.test(text) && Number(text) > 0) return Number(text);
  throw new CliError(`--budget is ${JSON.stringify(text)}; expected US dollars such as 2 or 0.50`);
}

function outsideOf({ onMiss, toolMiss = [] }: TrialOptions): OutsideRules {
  if (onMiss !== "stop" && onMiss !== "error") {
    throw new CliError(`--on-miss is ${JSON.stringify(onMiss)}; expected stop or error`);
  }
  const tools = Object.fromEntries(toolMiss.map(toolRuleOf));
  return { default: onMiss, ...(toolMiss.length > 0 && { tools }) };
}

function toolRuleOf(text: string): [name: string, rule: MissRule] {
  const [, name = "", rule = ""] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (rule === "stop" || rule === "error" || rule === "live") return [name, rule];
  if (rule.startsWith("text:")) return [name, { fixed: rule.slice("text:".length) }];
  throw new CliError(
    `--tool-miss is ${JSON.stringify(text)}; expected NAME=stop, NAME=error, NAME=live or NAME=text:ANSWER`,
  );
}

/** Reads a JSON list of assertions, as the API takes them. */
async function readAssertions(path: string): Promise<Assertion[]> {
  let assertions: unknown;
  try {
    assertions = JSON.parse(await readFile(path, "utf8"));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliError(`--assert-file ${path} cannot be read as JSON: ${reason}`);
  }
  // Only this option needs the validators of the API.
  const { CreateTrialRequest: validate } = await import("../../dist/generated/manage-bodies.js");
  if (validate({ budget: {}, assertions })) return assertions as Assertion[];
  const problems = issuesOf(validate.errors, "body").map(
    ({ loc, msg }) => `${loc.slice(2).join(".") || "file"}: ${msg}`,
  );
  throw new CliError(`--assert-file ${path} is not a list of assertions: ${problems.join("; ")} (see docs/trials.md)`);
}

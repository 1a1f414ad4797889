import { readFile } from "node:fs/promises";
import type { Schemas } from "../../../src/manage/schema-types.ts";
import { CliError } from "../../cli.ts";
import { numberOrText, timeOption } from "../option-values.ts";

type Body = Schemas["CreateTrialRequest"];

/** Options of `agent try` for its cases and settings, as typed. */
export interface TrialOptions {
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

const defaultLast = 20;

/** The turns that are tried. */
export function selectionOf({ last, label, since, run, suite }: TrialOptions): object {
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
    last: last === undefined ? defaultLast : numberOrText(last),
    label,
    since: since === undefined ? undefined : timeOption("since", since),
  };
}

/** A run, or `RUN.TURN`. */
export function turnOf(text: string): { run_id: string; turn?: number } {
  const [, run_id, turn] = /^([^.]+)(?:\.(\d{1,9}))?$/.exec(text) ?? [];
  if (run_id === undefined)
    throw new CliError(`--run is ${JSON.stringify(text)}; expected ID, or ID.TURN such as ID.2`);
  return { run_id, ...(turn !== undefined && { turn: Number(turn) }) };
}

export async function chosenTrialSettings(options: TrialOptions): Promise<object> {
  const { control, concurrency, assertFile, tier, budget, budgetTokens } = options;
  if (budget === undefined && budgetTokens === undefined) {
    throw new CliError(
      "--budget is missing; limit what the trial may use: --budget DOLLARS, or --budget-tokens N for an agent without prices",
    );
  }
  const dollars = budget === undefined ? undefined : numberOrText(budget);
  const tokens = budgetTokens === undefined ? undefined : numberOrText(budgetTokens);
  return {
    budget: { dollars, tokens },
    outside: outsideOf(options),
    control: numberOrText(control),
    concurrency: numberOrText(concurrency),
    tier,
    ...(assertFile !== undefined && { assertions: await readAssertions(assertFile) }),
  };
}

function outsideOf({ onMiss, toolMiss = [] }: TrialOptions): object {
  const tools = Object.fromEntries(toolMiss.map(toolRuleOf));
  return { default: onMiss, ...(toolMiss.length > 0 && { tools }) };
}

function toolRuleOf(text: string): [name: string, rule: string | { fixed: string }] {
  const [, name = "", rule = ""] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (rule === "stop" || rule === "error" || rule === "live") return [name, rule];
  if (rule.startsWith("text:")) return [name, { fixed: rule.slice("text:".length) }];
  throw new CliError(
    `--tool-miss is ${JSON.stringify(text)}; expected NAME=stop, NAME=error, NAME=live or NAME=text:ANSWER`,
  );
}

/** Reads a JSON list of assertions. The validators of the API check them. */
async function readAssertions(path: string): Promise<Body["assertions"]> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as Body["assertions"];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliError(`--assert-file ${path} cannot be read as JSON: ${reason}`);
  }
}

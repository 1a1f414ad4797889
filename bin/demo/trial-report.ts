import { isDeepStrictEqual, styleText } from "node:util";
import { CliError } from "../cli.ts";
import type { FoundChanges, TrialDemoResult } from "./run-trial-demo.ts";
import { expected } from "./trial-script.ts";

/** What the trials found, for people. */
export function trialReport(result: TrialDemoResult, once: boolean): string {
  const { steady, varying } = result;
  const lines = [
    "",
    "With a model that answers the same each time:",
    `  ${steady.trial.summary.text}`,
    `  the output differs        ${steady.different.join(", ")}`,
    `  the same, in fewer steps  ${steady.cheaper.join(", ")}`,
    "",
    "With a model that varies:",
    `  ${varying.trial.summary.text}`,
    `  ${varying.trial.summary.control?.cannot_judge ?? "The control can judge the change."}`,
    "",
    ...(once
      ? []
      : [
          `First trial   ${styleText("cyan", pageOf(result, steady))}`,
          `Second trial  ${styleText("cyan", pageOf(result, varying))}`,
          "Ctrl-C stops the service and deletes its data.",
        ]),
  ];
  return lines.map((line) => (line === "" ? "" : `  ${line}`)).join("\n");
}

export function trialJson(result: TrialDemoResult) {
  const found = (changes: FoundChanges) => ({
    summary: changes.trial.summary.text,
    same: changes.same,
    different: changes.different,
    cheaper: changes.cheaper,
    control: changes.trial.summary.control,
    url: pageOf(result, changes),
  });
  return { recorded_runs: result.recorded, trial: found(result.steady), varying_model: found(result.varying) };
}

/** Throws unless the first trial found exactly what the draft changes, and the control of the second one said that it cannot. */
export function requireFound({ steady, varying }: TrialDemoResult): void {
  const { different, cheaper, trial } = steady;
  const found = { different, cheaper };
  if (!isDeepStrictEqual(found, expected) || trial.summary.control?.differ !== 0) {
    throw new CliError(`the trial found ${JSON.stringify(found)}; expected ${JSON.stringify(expected)}`);
  }
  if (!varying.trial.summary.control?.cannot_judge) {
    throw new CliError("the control did not say that the runs of a model that varies cannot be repeated");
  }
}

/** A trial in the console, with the token that signs in. */
function pageOf({ service }: TrialDemoResult, { trial }: FoundChanges): string {
  const url = new URL(service.consoleUrl);
  url.pathname = `/console/trials/${trial.id}`;
  return url.href;
}

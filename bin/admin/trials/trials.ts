import type { Command } from "commander";
import type { Schemas } from "../../../src/manage/schema-types.ts";
import type { Action } from "../action.ts";
import { numberOrText } from "../option-values.ts";
import { caseText, trialOutput } from "./trial-output.ts";

/** The command that shows a trial with its cases. `agent try` creates trials. */
export function addTrialCommands(trial: Command, action: Action): void {
  trial
    .command("show")
    .description("Show the results and cases of a trial, or one case with both turns.")
    .argument("<ID>", "ID of the trial")
    .option("--case <N>", "only this case: its texts, and its calls as a diff")
    .action(
      action(async ({ call }, trial_id: string, { case: number }: { case?: string }) => {
        if (number !== undefined) {
          const given = { trial_id, number: numberOrText(number) };
          const json = await call<Schemas["TrialCaseDetail"]>("get_trial_case", given);
          return { text: caseText(json), json };
        }
        const found = await call<Schemas["Trial"]>("get_trial", { trial_id });
        const { data } = await call<Schemas["TrialCasePage"]>("list_trial_cases", { trial_id });
        return trialOutput(found, data);
      }),
    );
}

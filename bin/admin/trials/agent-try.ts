import type { Command } from "commander";
import { commandLine } from "../../../src/command-line.ts";
import type { Schemas } from "../../../src/manage/schema-types.ts";
import { type FailCondition, failures, parseFailIf } from "../../../src/trials/fail-if.ts";
import { maxCases } from "../../../src/trials/names.ts";
import { CliError, type FileIo } from "../../cli.ts";
import type { Action } from "../action.ts";
import { fileDescription, fileOption, readAgentFile } from "../agent-file.ts";
import { type Label, optionOf } from "../call.ts";
import { isConfirmed, requireTerminal } from "../confirm.ts";
import { numberOrText, repeatedOption } from "../option-values.ts";
import type { PrintedNote, Output } from "../output.ts";
import type { Session } from "../session.ts";
import { selectionOf, chosenTrialSettings, type TrialOptions } from "./trial-options.ts";
import { estimateLines, trialOutput } from "./trial-output.ts";
import { waitForTrial } from "./wait-for-trial.ts";

interface TryOptions extends TrialOptions {
  file?: string;
  version?: string;
  judge?: string;
  judgeFile?: string;
  failIf?: string;
  yes?: true;
}

export function addTryCommand(agent: Command, action: Action, io: FileIo): void {
  agent
    .command("try")
    .description("Try a change of an agent on recorded turns before you save it.")
    .argument("<AGENT>", "ID of the agent")
    .option(fileOption, `the changed ${fileDescription}`)
    .option("--version <N>", "try this version of the agent instead of a file")
    .option("--last <N>", `number of turns, the newest that ended with an output, at most ${maxCases} (default: 20)`)
    .option("--label <KEY=VALUE>", "only turns of runs with this label")
    .option("--since <TIME>", "only turns of runs created since this time, such as 2026-11-01 or 2026-11-01T08:00Z")
    .option("--run <ID>", "the turns of this run, or ID.TURN; repeatable, instead of --last", repeatedOption)
    .option("--suite <NAME>", "the cases of this suite, instead of --last")
    .option("--control <N>", "number of cases that also run with the current configuration", "10")
    .option("--concurrency <N>", "cases in progress at the same time", "4")
    .option("--budget <DOLLARS>", "limit in US dollars; no case starts beyond it (needs prices in the agent file)")
    .option("--budget-tokens <N>", "limit in input and output tokens; no case starts beyond it")
    .option("--tier <TIER>", "flex: ask models with the cheaper, slower service tier of their provider")
    .option("--assert-file <FILE>", "JSON list of assertions about each tried turn (docs/trials.md)")
    .option(
      "--judge <AGENT>",
      "agent whose instructions say what is better; it compares the outputs of each case that is different",
    )
    .option("--judge-file <FILE>", "agent file of a judge, instead of --judge")
    .option("--on-miss <RULE>", "for a call that the record does not answer: stop the case, or return an error", "stop")
    .option(
      "--tool-miss <NAME=RULE>",
      "the rule for one tool: stop, error, live or text:ANSWER; repeatable",
      repeatedOption,
    )
    .option("--fail-if <CONDITIONS>", "exit with 1 if a condition holds, such as worse>0,left>5")
    .option("--yes", "start without confirmation")
    .addHelpText(
      "after",
      "\nExit codes: 0, 1 after an error or if --fail-if holds, 130 after Ctrl-C (the trial proceeds).",
    )
    .action(
      action(async (session, agent_id: string, options: TryOptions) => {
        const failIf = options.failIf === undefined ? undefined : conditionsOf(options.failIf);
        const asks = !options.yes;
        if (asks) requireTerminal(io, "agent try");
        const settings = { ...selectionOf(options), ...(await chosenTrialSettings(options)) };
        const body = { agent_id, ...candidateOf(options), ...judgeOf(options), ...settings };
        const { definition } = await session.call<Schemas["Agent"]>("get_agent", { agent_id });
        if (!session.isServed()) {
          throw new CliError(
            `no service runs on the data directory; start it (${commandLine("start")}) to run the cases`,
          );
        }
        const trial = await session.call<Schemas["Trial"]>("create_trial", body, labelOf);
        return tryCases(session, trial, { io, failIf, asks, agent: definition.name, control: Number(options.control) });
      }),
    );
}

/** The options of fields that have another name. */
const labels: Record<string, string> = {
  agent_id: "AGENT",
  assertions: "--assert-file",
  outside: "--on-miss",
  runs: "--run",
};
const labelOf: Label = (field) => labels[field] ?? optionOf(field);

function candidateOf({ file, version }: TryOptions): object {
  if ((file === undefined) === (version === undefined)) {
    throw new CliError("agent try needs either --file draft.json or --version N");
  }
  return file === undefined ? { version: numberOrText(version ?? "") } : { definition: readAgentFile(file) };
}

function judgeOf({ judge, judgeFile }: TryOptions): object {
  if (judge !== undefined && judgeFile !== undefined) {
    throw new CliError("--judge and --judge-file cannot be used together; a trial has one judge");
  }
  if (judgeFile !== undefined) return { judge: { definition: readAgentFile(judgeFile) } };
  return judge === undefined ? {} : { judge: { agent_id: judge } };
}

function conditionsOf(text: string): FailCondition[] {
  const parsed = parseFailIf(text);
  if ("problem" in parsed) throw new CliError(`--fail-if: ${parsed.problem}`);
  return parsed.conditions;
}

interface Trying {
  io: FileIo;
  failIf: FailCondition[] | undefined;
  asks: boolean;
  agent: string;
  control: number;
}

/** Yields the estimate, starts the trial, waits for its end and yields its results. A trial that is not started is deleted. */
async function* tryCases(
  session: Session,
  trial: Schemas["Trial"],
  { io, failIf, asks, agent, control }: Trying,
): AsyncGenerator<PrintedNote | Output> {
  const { id: trial_id, estimate } = trial;
  const casesNow = async () => (await session.call<Schemas["TrialCasePage"]>("list_trial_cases", { trial_id })).data;
  const cases = await casesNow();
  for (const note of estimateLines(trial, cases, agent, control)) yield { note };
  const refusal =
    estimate.cases === 0
      ? `none of the ${cases.length} cases can be tried: ${cases[0]?.cannot_be_tried}`
      : asks && !(await isConfirmed(io, "Start the trial?"))
        ? "not started; no model was called"
        : undefined;
  if (refusal !== undefined) {
    await session.call("delete_trial", { trial_id });
    throw new CliError(refusal);
  }
  await session.call("start_trial", { trial_id });
  const ended = await waitForTrial(session, trial_id, io);
  const failed = failIf && failures(failIf, ended.summary);
  yield trialOutput(ended, await casesNow(), { onlyReview: true, failed });
  if (failed && failed.length > 0)
    throw new CliError(`--fail-if holds: ${failed.join(", ")} (see trial show ${trial_id})`);
}

import type { Command } from "commander";
import { findAgent } from "../../src/accounts/agents.ts";
import { commandLine } from "../../src/command-line.ts";
import { startTrial, deleteTrial } from "../../src/trials/control-trial.ts";
import { type Candidate, createTrial, type JudgeChoice } from "../../src/trials/create-trial.ts";
import { type FailCondition, failures, parseFailIf } from "../../src/trials/fail-if.ts";
import { maxCases } from "../../src/trials/limits.ts";
import type { TrialMode } from "../../src/trials/names.ts";
import { summarize } from "../../src/trials/summary.ts";
import type { Trial, TrialCase } from "../../src/trials/types.ts";
import { CliError, type FileIo } from "../cli.ts";
import type { Action } from "./action.ts";
import { fileDescription, fileOption, readAgentFile } from "./agent-file.ts";
import { isConfirmed, requireTerminal } from "./confirm.ts";
import type { OperatorPlatform } from "./operator-platform.ts";
import { repeated, wholeNumber } from "./option-values.ts";
import type { Note, Output } from "./output.ts";
import { modeOf, selectionOf, settingsOf, type TrialOptions } from "./trial-options.ts";
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
    .argument("<AGENT>", "agent")
    .option(
      "--mode <MODE>",
      "rerun: take each turn anew; next-step: answer each recorded step once, and execute nothing; replay: take each turn anew with its recorded answers and results, without a candidate, a model call and cost",
      "rerun",
    )
    .option(fileOption, `the changed ${fileDescription}`)
    .option("--version <N>", "try this version of the agent instead of a file")
    .option("--last <N>", `number of turns, the newest that ended with an output, at most ${maxCases} (default: 20)`)
    .option("--label <KEY=VALUE>", "only turns of runs with this label")
    .option("--since <TIME>", "only turns of runs created since this time, such as 2026-11-01 or 2026-11-01T08:00Z")
    .option("--run <ID>", "the turns of this run, or ID.TURN; can be repeated, instead of --last", repeated)
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
      "the rule for one tool: stop, error, live or text:ANSWER; can be repeated",
      repeated,
    )
    .option("--fail-if <CONDITIONS>", "exit with 1 if a condition holds, such as worse>0,left>5")
    .option("--yes", "start without asking")
    .addHelpText(
      "after",
      "\nExit codes: 0, 1 after an error or if --fail-if holds, 130 after Ctrl-C (the trial proceeds).",
    )
    .action(
      action(async (platform, agentId: string, options: TryOptions) => {
        const { accounts, isServed } = platform;
        const failIf = options.failIf === undefined ? undefined : conditionsOf(options.failIf);
        const mode = modeOf(options);
        const asks = !options.yes && mode !== "replay";
        if (asks) requireTerminal(io, "agent try", "a model is called");
        const [cases, settings] = [selectionOf(options), await settingsOf(options)];
        const { id, organizationId } = await findAgent(accounts, agentId);
        const candidate = await candidateOf(platform, organizationId, mode, options);
        const judge = await judgeOf(platform, organizationId, options);
        if (!isServed()) {
          throw new CliError(
            `no service runs on the data directory; start it (${commandLine("start")}) to run the cases`,
          );
        }
        const deps = { ...platform, now: Date.now, actor: await platform.actor() };
        const created = await createTrial(deps, id, {
          mode,
          ...(candidate && { candidate }),
          ...(judge && { judge }),
          cases,
          settings,
        });
        return tryCases(deps, created, { io, failIf, asks });
      }),
    );
}

async function candidateOf(
  platform: OperatorPlatform,
  organizationId: string,
  mode: TrialMode,
  { file, version }: TryOptions,
): Promise<Candidate | undefined> {
  if (mode === "replay" && file === undefined && version === undefined) return undefined;
  if ((file === undefined) === (version === undefined)) {
    throw new CliError("agent try needs either --file draft.json or --version N");
  }
  if (file !== undefined) return { definition: await readAgentFile(file, organizationId, platform) };
  return { version: wholeNumber("--version", version ?? "") };
}

async function judgeOf(
  platform: OperatorPlatform,
  organizationId: string,
  { judge, judgeFile }: TryOptions,
): Promise<JudgeChoice | undefined> {
  if (judge !== undefined && judgeFile !== undefined) {
    throw new CliError("--judge and --judge-file cannot be used together; a trial has one judge");
  }
  if (judgeFile !== undefined) return { definition: await readAgentFile(judgeFile, organizationId, platform) };
  return judge === undefined ? undefined : { agentId: judge };
}

function conditionsOf(text: string): FailCondition[] {
  const parsed = parseFailIf(text);
  if ("problem" in parsed) throw new CliError(`--fail-if: ${parsed.problem}`);
  return parsed.conditions;
}

type TryDeps = Omit<OperatorPlatform, "actor"> & Parameters<typeof startTrial>[0];

/** Yields the estimate, starts the trial, waits for its end and yields its results. A trial that is not started is deleted. */
async function* tryCases(
  deps: TryDeps,
  { trial, cases }: { trial: Trial; cases: TrialCase[] },
  { io, failIf, asks }: { io: FileIo; failIf: FailCondition[] | undefined; asks: boolean },
): AsyncGenerator<Note | Output> {
  const { id, estimate } = trial;
  for (const note of estimateLines(trial, cases)) yield { note };
  const refusal =
    estimate.cases === 0
      ? `none of the ${cases.length} cases can be tried: ${cases[0]?.cannotBeTried}`
      : asks && !(await isConfirmed(io, "Start the trial?"))
        ? "not started; no model was called"
        : undefined;
  if (refusal !== undefined) {
    await deleteTrial(deps, id);
    throw new CliError(refusal);
  }
  await startTrial(deps, id);
  const ended = await waitForTrial(deps, id, io);
  const failed = failIf && failures(failIf, summarize(ended.trial, ended.cases));
  yield trialOutput(ended.trial, ended.cases, { onlyReview: true, failed });
  if (failed && failed.length > 0) throw new CliError(`--fail-if holds: ${failed.join(", ")} (see trial show ${id})`);
}

import type { Command } from "commander";
import { findAgent } from "../../src/accounts/agents.ts";
import { commandLine } from "../../src/command-line.ts";
import { createRun } from "../../src/runs/create-run.ts";
import { findRun } from "../../src/runs/read/find-run.ts";
import { CliError, type FileIo } from "../cli.ts";
import type { Action } from "./action.ts";
import type { OperatorPlatform } from "./operator-platform.ts";
import { chosenOf } from "./chosen-options.ts";
import { repeated } from "./option-values.ts";
import { type Output, record } from "./output.ts";
import { runFields } from "./run-fields.ts";
import { readFiles, readInput, readSchema, runName } from "./run-input.ts";
import { waitForRun } from "./wait-for-run.ts";

interface StartOptions {
  agent: string;
  text?: string;
  textFile?: string;
  file?: string[];
  name?: string;
  resultSchema?: string;
  model?: string;
  limit?: string[];
  wait?: true;
}

export function addStartCommand(run: Command, action: Action, io: FileIo): void {
  run
    .command("start")
    .description("Start a run of an agent, and with --wait print its output.")
    .argument("[-]", "read the input from standard input")
    .requiredOption("--agent <ID>", "agent")
    .option("--text <TEXT>", "the input")
    .option("--text-file <FILE>", "read the input from a file; - for standard input")
    .option("--file <FILE>", "put a file into the run's workspace; repeatable", repeated)
    .option("--name <NAME>", "name of the run (default: the beginning of the input)")
    .option("--result-schema <FILE>", "JSON Schema of the result, if the agent file sets result.perRun")
    .option("--model <NAME>", "one of the runModels of the agent file, in place of the agent's model")
    .option(
      "--limit <LIMIT>",
      "limit at or below the agent's, such as turn.steps=20 or run.dollars=0.5; repeatable",
      repeated,
    )
    .option("--wait", "wait until the run is idle; print its output alone, and its id and progress on stderr")
    .addHelpText(
      "after",
      `
Exit codes with --wait: 0 the run finished, 1 an error (the run may proceed),
2 the run failed or was stopped, 130 after Ctrl-C (the run proceeds).`,
    )
    .action(
      action(async (platform, dash: string | undefined, options: StartOptions) => {
        const { agent, file = [], name, wait } = options;
        const { id: agentId, organizationId } = await findAgent(platform.accounts, agent);
        const [text, files] = await Promise.all([readInput({ ...options, dash }), readFiles(file)]);
        const isServed = platform.isServed();
        if (wait && !isServed)
          throw new CliError(
            `no service runs on the data directory; start it (${commandLine("start")}), or leave out --wait`,
          );
        const deps = { ...platform, now: Date.now, actor: await platform.actor() };
        const resultSchema = await readSchema(options.resultSchema);
        const newRun = { name: runName(name, text), text, files, resultSchema, chosen: chosenOf(options) };
        const { id } = await createRun(deps, { agentId, organizationId }, newRun);
        if (wait) return waitForRun(platform, id, io);
        if (!isServed)
          io.err(`No service runs on the data directory; the run will start with it: ${commandLine("start")}`);
        return startedOutput(platform, id);
      }),
    );
}

async function startedOutput({ runs }: OperatorPlatform, id: string): Promise<Output> {
  const { run } = await findRun(runs, id);
  return record(runFields(run));
}

import type { Command } from "commander";
import { findAgent, findAgentVersion } from "../../src/accounts/agents.ts";
import type { AgentDefinition } from "../../src/accounts/types.ts";
import { toolNames } from "../../src/agent/tools/index.ts";
import { commandLine } from "../../src/command-line.ts";
import type { GivenResult } from "../../src/runs/fork/copied-record.ts";
import { forkRun } from "../../src/runs/fork/fork-run.ts";
import type { SettingsChanges } from "../../src/runs/fork/fork-settings.ts";
import { findRun } from "../../src/runs/read/find-run.ts";
import { turnRecord } from "../../src/runs/read/turn-record.ts";
import { decodeConfiguration, referenceIn } from "../../src/runs/turn-configuration.ts";
import type { Run } from "../../src/runs/types.ts";
import { CliError, type FileIo } from "../cli.ts";
import type { Action } from "./action.ts";
import { fileDescription, fileOption, readAgentFile } from "./agent-file.ts";
import { isConfirmed, requireTerminal } from "./confirm.ts";
import type { OperatorPlatform } from "./operator-platform.ts";
import { repeated, turnStepOf, wholeNumber } from "./option-values.ts";
import { record } from "./output.ts";
import { runFields } from "./run-fields.ts";
import { readInput, readText } from "./run-input.ts";
import { waitForRun } from "./wait-for-run.ts";

interface ForkOptions {
  at: string;
  name?: string;
  model?: string;
  instructions?: string;
  tool?: string[];
  file?: string;
  version?: string;
  text?: string;
  textFile?: string;
  result?: string[];
  yes?: true;
  wait?: true;
}

export function addForkCommand(run: Command, action: Action, io: FileIo): void {
  run
    .command("fork")
    .description("Create a run with the record of another one up to a step, and continue it with a change.")
    .argument("<ID>", "run")
    .requiredOption("--at <TURN.STEP>", "the last step to copy; 2.0 begins turn 2 anew")
    .option("--name <NAME>", "name of the fork (default: Fork of and the run's name)")
    .option("--model <NAME>", "another model of the same provider")
    .option("--instructions <FILE>", "other instructions; - for standard input")
    .option("--tool <NAME>", "a built-in tool, instead of the recorded ones; repeatable", repeated)
    .option(fileOption, `${fileDescription} to continue with`)
    .option("--version <N>", "version of the agent to continue with")
    .option("--text <TEXT>", "another input of the turn; only with step 0")
    .option("--text-file <FILE>", "read the input from a file; - for standard input")
    .option(
      "--result <CALL=FILE>",
      "another result of a tool call of the step, by its number in run show; repeatable",
      repeated,
    )
    .option("--yes", "start without asking")
    .option("--wait", "wait until the fork is idle; print its output alone, and its id and progress on stderr")
    .addHelpText(
      "after",
      "\nFrom the step on, the model is called and tools run live: they can change other systems a second time.",
    )
    .action(
      action(async (platform, id: string, options: ForkOptions) => {
        if (!options.yes) requireTerminal(io, "run fork", "tools run a second time");
        const at = turnStepOf("--at", options.at, "; 2.0 begins turn 2 anew");
        const { run: source } = await findRun(platform.runs, id);
        if (options.wait && !platform.isServed())
          throw new CliError(
            `no service runs on the data directory; start it (${commandLine("start")}), or leave out --wait`,
          );
        const settings = await settingsOf(platform, source, options);
        const changed = { inputText: await inputOf(options), results: await resultsOf(platform, source, at, options) };
        if (!options.yes) {
          const tools = await liveTools(platform, source, at.turn, settings);
          io.err(`From ${options.at} on, these tools run live: ${tools.join(", ") || "none"}.`);
          if (!(await isConfirmed(io, "Fork the run?"))) throw new CliError("not forked; no model was called");
        }
        const deps = { ...platform, now: Date.now, actor: await platform.actor() };
        const fork = await forkRun(deps, source.id, { at, name: options.name, record: changed, settings });
        return options.wait ? waitForRun(platform, fork.id, io) : record(runFields(fork));
      }),
    );
}

async function settingsOf(
  platform: OperatorPlatform,
  { organizationId }: Run,
  { file, version, model, instructions, tool: tools }: ForkOptions,
): Promise<SettingsChanges> {
  const fields = { model, instructions, tools };
  const field = Object.entries(fields)
    .find(([, value]) => value !== undefined)?.[0]
    .replace("tools", "tool");
  const [one, other] = Object.entries({ file, version, ...(field && { [field]: true }) })
    .filter(([, value]) => value !== undefined)
    .map(([name]) => `--${name}`);
  if (other !== undefined) throw new CliError(`${one} and ${other} cannot be combined; give one of them`);
  if (file !== undefined) return { definition: await readAgentFile(file, organizationId, platform) };
  if (version !== undefined) return { version: wholeNumber("--version", version) };
  return {
    model,
    tools: tools && knownTools(tools),
    ...(instructions !== undefined && { instructions: await readText("--instructions", instructions) }),
  };
}

function knownTools(names: string[]): string[] {
  const unknown = names.find((name) => !toolNames.includes(name));
  if (unknown === undefined) return [...new Set(names)];
  throw new CliError(`--tool is ${JSON.stringify(unknown)}; expected one of ${toolNames.join(", ")}`);
}

async function inputOf({ text, textFile }: ForkOptions): Promise<string | undefined> {
  if (text === undefined && textFile === undefined) return undefined;
  return readInput({ ...(text !== undefined && { text }), ...(textFile !== undefined && { textFile }) });
}

/** The API counts calls from 0, `run show` from 1. */
async function resultsOf(
  { runs }: OperatorPlatform,
  { id }: Run,
  { turn, step }: { turn: number; step: number },
  { result = [] }: ForkOptions,
): Promise<GivenResult[] | undefined> {
  if (result.length === 0) return undefined;
  const { entries } = await turnRecord({ runs }, id, turn);
  const calls = entries.flatMap((entry) =>
    entry.part === "answer" && entry.step === step ? entry.answer.toolCalls : [],
  );
  const given = result.map(async (text) => {
    const [, call, path] = /^([1-9]\d{0,2})=(.+)$/s.exec(text) ?? [];
    if (call === undefined || path === undefined)
      throw new CliError(`--result is ${JSON.stringify(text)}; expected CALL=FILE, such as 1=result.txt`);
    if (Number(call) > calls.length) {
      const known = calls.map(({ name }, index) => `${index + 1} (${name})`).join(", ") || "none";
      throw new CliError(`--result is of call ${call}; the calls of step ${turn}.${step} are ${known}`);
    }
    return { call: Number(call) - 1, text: await readText("--result", path) };
  });
  return Promise.all(given);
}

/** The names of the tools that the fork may call. */
async function liveTools(
  { accounts, runs, configurations }: OperatorPlatform,
  { id, agentId, imported }: Run,
  turn: number,
  settings: SettingsChanges,
): Promise<string[]> {
  if ("definition" in settings) return toolsOf(settings.definition);
  if ("version" in settings) return toolsOf((await findAgentVersion(accounts, agentId, settings.version)).definition);
  if (settings.tools) return settings.tools;
  if (imported) return toolsOf(await findAgent(accounts, agentId));
  const reference = referenceIn((await turnRecord({ runs }, id, turn)).entries);
  const recorded = reference && (await configurations.get(agentId, reference.configuration));
  if (recorded === undefined) return toolsOf(await findAgent(accounts, agentId));
  return decodeConfiguration(recorded).offered.map(({ name }) => name);
}

function toolsOf({ tools, mcp = [], clientTools = [] }: AgentDefinition): string[] {
  return [...tools, ...mcp.map(({ name }) => `all of ${name}`), ...clientTools.map(({ name }) => name)];
}

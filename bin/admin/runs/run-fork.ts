import type { Command } from "commander";
import type { AgentDefinition } from "../../../src/accounts/account-types.ts";
import { commandLine } from "../../../src/command-line.ts";
import type { Schemas } from "../../../src/manage/schema-types.ts";
import { CliError, type FileIo } from "../../cli.ts";
import type { Action } from "../action.ts";
import { fileDescription, fileOption, readAgentFile } from "../agent-file.ts";
import { type Caller, RefusedCall } from "../call.ts";
import { isConfirmed, requireTerminal } from "../confirm.ts";
import { numberOrText, repeatedOption } from "../option-values.ts";
import { record } from "../output.ts";
import { recordedEvents } from "./run-events.ts";
import { readInput, readInputText } from "./run-input.ts";
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
    .description("Fork a run: copy its record up to a step into a new run, and continue it with a change.")
    .argument("<ID>", "ID of the run")
    .requiredOption("--at <TURN.STEP>", "the last step to copy; 2.0 begins turn 2 anew")
    .option("--name <NAME>", "name of the fork (default: Fork of and the run's name)")
    .option("--model <NAME>", "another model of the same provider")
    .option("--instructions <FILE>", "other instructions; - for standard input")
    .option("--tool <NAME>", "a built-in tool, instead of the recorded ones; repeatable", repeatedOption)
    .option(fileOption, `${fileDescription} to continue with`)
    .option("--version <N>", "version of the agent to continue with")
    .option("--text <TEXT>", "replace the input of the turn (only with --at TURN.0)")
    .option("--text-file <FILE>", "read the input from a file; - for standard input")
    .option(
      "--result <CALL=FILE>",
      "another result of a tool call of the step, by its number in run show; repeatable",
      repeatedOption,
    )
    .option("--yes", "start without confirmation")
    .option("--wait", "wait until the fork is idle; print its output alone, and its id and progress on stderr")
    .addHelpText(
      "after",
      "\nFrom the step on, the model is called and tools run live: they can change other systems a second time.",
    )
    .action(
      action(async (session, run_id: string, options: ForkOptions) => {
        const { at, name, tool, yes, wait } = options;
        if (!yes) requireTerminal(io, "run fork");
        if (!/^\d{1,9}\.\d{1,9}$/.test(at)) {
          throw new CliError(`--at is ${JSON.stringify(at)}; expected TURN.STEP, such as 1.3; 2.0 begins turn 2 anew`);
        }
        if (wait && !session.isServed())
          throw new CliError(
            `no service runs on the data directory; start it (${commandLine("start")}), or leave out --wait`,
          );
        const settings = await settingsOf(options);
        const changed = { input_text: await inputOf(options), results: await resultsOf(session, run_id, options) };
        if (!yes) {
          const tools = tool ?? (await liveTools(session, run_id, options, settings));
          io.err(`From ${at} on, these tools run live: ${tools.join(", ") || "none"}.`);
          if (!(await isConfirmed(io, "Fork the run?"))) throw new CliError("not forked; no model was called");
        }
        const given = { run_id, at, name, ...settings, ...changed };
        const fork = await session.call<Schemas["Run"]>("fork_run", given, (field) => labels[field] ?? `--${field}`);
        return wait ? waitForRun(session, fork.id, io) : record(fork);
      }),
    );
}

/** The options of fields that have another name. */
const labels: Record<string, string> = { run_id: "ID", tools: "--tool", input_text: "--text", results: "--result" };

interface Settings {
  definition?: AgentDefinition;
  version?: number | string;
  model?: string | undefined;
  instructions?: string | undefined;
  tools?: string[] | undefined;
}

async function settingsOf({ file, version, model, instructions, tool }: ForkOptions): Promise<Settings> {
  const field = Object.entries({ model, instructions, tool }).find(([, value]) => value !== undefined)?.[0];
  const [one, other] = Object.entries({ file, version, ...(field && { [field]: true }) })
    .filter(([, value]) => value !== undefined)
    .map(([name]) => `--${name}`);
  if (other !== undefined) throw new CliError(`${one} and ${other} cannot be combined; give one of them`);
  if (file !== undefined) return { definition: readAgentFile(file) };
  if (version !== undefined) return { version: numberOrText(version) };
  const text = instructions === undefined ? undefined : await readInputText("--instructions", instructions);
  return { model, tools: tool && [...new Set(tool)], instructions: text };
}

async function inputOf({ text, textFile }: ForkOptions): Promise<string | undefined> {
  if (text === undefined && textFile === undefined) return undefined;
  return readInput({ ...(text !== undefined && { text }), ...(textFile !== undefined && { textFile }) });
}

/** The API counts calls from 0, `run show` from 1. */
async function resultsOf(caller: Caller, run_id: string, { at, result = [] }: ForkOptions) {
  if (result.length === 0) return undefined;
  let calls: { name: string }[] = [];
  for await (const event of recordedEvents(caller, run_id))
    if (event.type === "model_call" && `${event.turn}.${event.step}` === at) calls = event.tool_calls;
  const given = result.map(async (text) => {
    const [, call, path] = /^([1-9]\d{0,2})=(.+)$/s.exec(text) ?? [];
    if (call === undefined || path === undefined)
      throw new CliError(`--result is ${JSON.stringify(text)}; expected CALL=FILE, such as 1=result.txt`);
    if (Number(call) > calls.length) {
      const known = calls.map(({ name }, index) => `${index + 1} (${name})`).join(", ") || "none";
      throw new CliError(`--result is of call ${call}; the calls of step ${at} are ${known}`);
    }
    return { call: Number(call) - 1, text: await readInputText("--result", path) };
  });
  return Promise.all(given);
}

/** The names of the tools that the fork may call: those of its definition, or else those that the turn had. */
async function liveTools(
  { call }: Caller,
  run_id: string,
  { at }: ForkOptions,
  { definition, version }: Settings,
): Promise<string[]> {
  if (definition) return toolsOf(definition);
  const { agent_id, imported_from: imported } = await call<Schemas["RunDetail"]>("get_run", { run_id });
  if (version !== undefined) {
    const found = await call<Schemas["AgentVersion"]>("get_agent_version", { agent_id, version });
    return toolsOf(found.definition);
  }
  if (!imported) {
    try {
      const of = { run_id, at: `${at.split(".")[0]}.1` };
      const { tools } = await call<Schemas["ModelRequest"]>("get_model_request", of);
      return tools.map(({ name }) => name);
    } catch (error) {
      if (!(error instanceof RefusedCall)) throw error; // the request is not known
    }
  }
  return toolsOf((await call<Schemas["Agent"]>("get_agent", { agent_id })).definition);
}

function toolsOf({ tools, mcp = [], clientTools = [] }: AgentDefinition): string[] {
  return [...tools, ...mcp.map(({ name }) => `all of ${name}`), ...clientTools.map(({ name }) => name)];
}

import type { Command } from "commander";
import { type AnswerBody, givenAnswer } from "../../src/run-api/given-answer.ts";
import { askKinds } from "../../src/agent/ask-kinds.ts";
import { answerCall } from "../../src/runs/answer-call.ts";
import { normalizeId } from "../../src/accounts/ids.ts";
import { ServiceError } from "../../src/errors.ts";
import type { Runs } from "../../src/runs/ports.ts";
import { type AskedCall, findCall } from "../../src/runs/read/open-calls.ts";
import { waitingRuns } from "../../src/runs/read/waiting-runs.ts";
import { CliError } from "../cli.ts";
import type { Action } from "./action.ts";
import { callLines, callText, openCallFields } from "./open-calls.ts";
import { maxListed, repeated, valuesOf } from "./option-values.ts";
import { type Note, type Output, record, table } from "./output.ts";
import { runFields } from "./run-fields.ts";
import { readFiles, readText } from "./run-input.ts";

interface WaitingOptions {
  org?: string;
  agent?: string;
  kind?: string;
  forOperators?: true;
}

interface AnswerOptions {
  allow?: true;
  deny?: true;
  reason?: string;
  output?: string;
  outputFile?: string;
  error?: string;
  file?: string[];
}

export function addAnswerCommands(run: Command, action: Action): void {
  run
    .command("waiting")
    .description("List tool calls that wait for answers, those whose time ends first at the beginning.")
    .option("--org <ID>", "only runs of this organization")
    .option("--agent <ID>", "only runs of this agent")
    .option("--kind <KIND>", `only calls of these kinds, with commas: ${askKinds.join(", ")}`)
    .option(
      "--for-operators",
      "only calls that API keys may not answer: approvals, unless the agent allows its keys to approve",
    )
    .action(
      action(async (stores, { org, agent: ofAgent, kind, forOperators }: WaitingOptions) => {
        const of = {
          ...(org !== undefined && { organization: org }),
          ...(ofAgent !== undefined && { agent: ofAgent }),
        };
        const kinds = kind === undefined ? undefined : valuesOf("--kind", kind, askKinds);
        const filter = { of, ...(kinds && { kinds }), forOperators: forOperators === true, limit: maxListed };
        const { waiting, more } = await waitingRuns(stores, filter);
        const rows = waiting.flatMap(({ run: { id, name, agentId }, calls }) =>
          calls.map((call) => ({ run: id, ...openCallFields(call), agent: agentId, run_name: name })),
        );
        const { text } = table(
          rows.map((row) => ({ ...row, tool: row.name })),
          ["run", "call", "kind", "until", "tool", "run_name"],
          "No calls wait for answers.",
        );
        const notes = [
          ...(more ? ["More runs wait. Answer these first, or filter with --org or --agent."] : []),
          ...(rows.length > 0 ? ["See the arguments of a call: run answer RUN CALL"] : []),
        ];
        return { text: [text, ...notes].join("\n\n"), json: rows };
      }),
    );
  run
    .command("answer")
    .description("Answer a tool call that waits; without an answer, show the call.")
    .argument("<RUN>", "run")
    .argument("<CALL>", "call, as run waiting prints it, such as 1.2.0")
    .option("--allow", "let the call run")
    .option("--deny", "do not let it run")
    .option("--reason <TEXT>", "with --deny: why, for the model")
    .option("--output <TEXT>", "the result of a client tool, or the answer to a question")
    .option("--output-file <FILE>", "read it from a file; - for standard input")
    .option("--error <TEXT>", "why there is no result or answer, for the model")
    .option("--file <FILE>", "with an output: put a file into the run's workspace; repeatable", repeated)
    .action(
      action(async ({ actor, ...platform }, runId: string, id: string, options: AnswerOptions) => {
        const call = await callOf(platform.runs, runId, id);
        const answer = await answerOf(options);
        if (!answer && call.answer) throw new CliError(`the call ${id} has an answer: ${call.answer.answer.kind}`);
        if (!answer) return { text: callLines(runId, call).join("\n"), json: openCallFields(call) };
        const given = givenAnswer({ call: id, arguments_sha256: call.argumentsHash, ...answer });
        const files = await readFiles(options.file ?? []);
        const deps = { ...platform, now: Date.now, actor: await actor() };
        return answered(call, async () => record(runFields(await answerCall(deps, runId, { ...given, files }))));
      }),
    );
}

/** Prints what is answered, then answers it. */
async function* answered(call: AskedCall, answer: () => Promise<Output>): AsyncGenerator<Output | Note> {
  yield { note: `Answers ${call.id} (${call.kind}): ${callText(call)}` };
  const { text, json } = await answer();
  yield { text, json: { ...(json as object), answered: openCallFields(call) } };
}

async function callOf(runs: Runs, runId: string, id: string): Promise<AskedCall> {
  const state = await runs.loadTurn(normalizeId(runId));
  if (!state) throw new ServiceError("run_not_found", `run ${JSON.stringify(runId)} does not exist`);
  return findCall(state, id);
}

/** The answer in the options. Undefined: they have none. */
async function answerOf(options: AnswerOptions): Promise<Omit<AnswerBody, "call" | "arguments_sha256"> | undefined> {
  const { allow, deny, reason, output, outputFile, error, file = [] } = options;
  const answers = {
    "--allow": allow,
    "--deny": deny,
    "--output": output,
    "--output-file": outputFile,
    "--error": error,
  };
  const given = Object.entries(answers).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (given.length > 1) {
    throw new CliError(
      `${given.join(" and ")} cannot be used together; pass one of ${Object.keys(answers).join(", ")}`,
    );
  }
  if (reason !== undefined && !deny) throw new CliError("--reason needs --deny");
  const hasOutput = output !== undefined || outputFile !== undefined;
  if (file.length > 0 && !hasOutput) throw new CliError("--file needs --output or --output-file");
  if (allow) return { decision: "allow" };
  if (deny) return { decision: "deny", ...(reason !== undefined && { reason }) };
  if (error !== undefined) return { error };
  if (output !== undefined) return { output };
  return outputFile === undefined ? undefined : { output: await readText("--output-file", outputFile) };
}

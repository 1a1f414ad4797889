import { hash } from "node:crypto";
import type { Command } from "commander";
import type { SharedSchemas } from "../../../src/http/rest/schemas/schema-types.ts";
import type { Schemas } from "../../../src/manage/schema-types.ts";
import { CliError } from "../../cli.ts";
import type { Action } from "../action.ts";
import type { Caller } from "../call.ts";
import { callLines, callText, type OpenCall } from "./open-calls.ts";
import { repeatedOption } from "../option-values.ts";
import { type PrintedNote, type Output, record } from "../output.ts";
import { callId } from "../../../src/runs/read/open-calls.ts";
import { recordedEvents } from "./run-events.ts";
import { readFiles, readInputText } from "./run-input.ts";

type Answer = Omit<SharedSchemas["AnswerCallRequest"], "call" | "arguments_sha256">;

interface AnswerOptions {
  allow?: true;
  deny?: true;
  reason?: string;
  output?: string;
  outputFile?: string;
  error?: string;
  file?: string[];
}

export function addAnswerCommand(run: Command, action: Action): void {
  run
    .command("answer")
    .description("Answer a tool call that waits; without an answer, show the call.")
    .argument("<RUN>", "ID of the run")
    .argument("<CALL>", "call, as run waiting prints it, such as 1.2.0")
    .option("--allow", "let the call run")
    .option("--deny", "do not let it run")
    .option("--reason <TEXT>", "with --deny: why, for the model")
    .option("--output <TEXT>", "the result of a client tool, or the answer to a question")
    .option("--output-file <FILE>", "read it from a file; - for standard input")
    .option("--error <TEXT>", "why there is no result or answer, for the model")
    .option("--file <FILE>", "with an output: put a file into the run's workspace; repeatable", repeatedOption)
    .action(
      action(async (session, run_id: string, id: string, options: AnswerOptions) => {
        const { call, answered } = await askedCall(session, run_id, id);
        const answer = await answerOf(options);
        if (!answer && answered !== undefined) throw new CliError(`the call ${id} has an answer: ${answered}`);
        if (!answer) return { text: callLines(run_id, call).join("\n"), json: call };
        const files = await readFiles(options.file ?? []);
        const given = { run_id, call: id, arguments_sha256: call.arguments_sha256, ...answer };
        const sent = files.length > 0 ? { ...given, files } : given;
        return answerCall(call, async () => record(await session.call<Schemas["Run"]>("answer_call", sent)));
      }),
    );
}

/** Prints what is answered, then answers it. */
async function* answerCall(call: OpenCall, answer: () => Promise<Output>): AsyncGenerator<Output | PrintedNote> {
  yield { note: `Answers ${call.id} (${call.kind}): ${callText(call)}` };
  const { text, json } = await answer();
  yield { text, json: { ...(json as object), answered: call } };
}

/** A call that waits, or that had an answer. Rejects for one that the run has not asked about. */
async function askedCall(caller: Caller, run_id: string, id: string): Promise<{ call: OpenCall; answered?: string }> {
  const { open_calls: open } = await caller.call<Schemas["RunDetail"]>("get_run", { run_id });
  const waiting = open.find((each) => each.id === id);
  if (waiting) return { call: waiting };
  let given: SharedSchemas["ToolCall"][] = [];
  let call: OpenCall | undefined;
  let answered: string | undefined;
  for await (const event of recordedEvents(caller, run_id)) {
    if (event.type === "model_call") given = event.tool_calls;
    if (event.type === "call_asked" && callId(event) === id) {
      const { name = "", arguments: text = "" } = given[event.call] ?? {};
      const times = { since: event.at ?? "", until: event.until };
      call = { id, kind: event.kind, name, arguments: text, arguments_sha256: hash("sha256", text), ...times };
    }
    if (event.type === "call_answered" && callId(event) === id) answered = event.answer;
  }
  if (call) return { call, ...(answered !== undefined && { answered }) };
  const others =
    open.length > 0
      ? `it waits for answers to ${open.map((each) => each.id).join(", ")}`
      : "it does not wait for any answer now";
  throw new CliError(
    `run ${run_id} has not asked for an answer to call ${id} in its turn; ${others} (see run show ID)`,
  );
}

/** The answer in the options. Undefined: they have none. */
async function answerOf(options: AnswerOptions): Promise<Answer | undefined> {
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
  return outputFile === undefined ? undefined : { output: await readInputText("--output-file", outputFile) };
}

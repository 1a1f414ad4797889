import type { Command } from "commander";
import { findAgent } from "../../../src/accounts/agents/agents.ts";
import { ownSchema } from "../../../src/accounts/result-schema.ts";
import type { LimitReason } from "../../../src/agent/turn/turn-limits.ts";
import { commandLine } from "../../../src/command-line.ts";
import { chosenIn } from "../../../src/http/rest/wire/run.ts";
import { base64Uploads, type FileInput } from "../../../src/http/validation/base64-files.ts";
import type { Schemas } from "../../../src/manage/schema-types.ts";
import { createRun } from "../../../src/runs/begin/create-run.ts";
import type { Labels } from "../../../src/runs/labels.ts";
import { CliError, type FileIo } from "../../cli.ts";
import type { Action } from "../action.ts";
import { type Label, optionOf } from "../call.ts";
import { pairOf, repeatedOption } from "../option-values.ts";
import { record } from "../output.ts";
import { readFiles, readInput, readSchema, defaultRunName } from "./run-input.ts";
import type { Session } from "../session.ts";
import { waitForRun } from "./wait-for-run.ts";

interface StartOptions {
  agent: string;
  text?: string;
  textFile?: string;
  file?: string[];
  name?: string;
  label?: string[];
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
    .requiredOption("--agent <ID>", "ID of the agent")
    .option("--text <TEXT>", "the input")
    .option("--text-file <FILE>", "read the input from a file; - for standard input")
    .option("--file <FILE>", "put a file into the run's workspace; repeatable", repeatedOption)
    .option("--name <NAME>", "name of the run (default: the beginning of the input)")
    .option("--label <KEY=VALUE>", "label to find the run by; repeatable", repeatedOption)
    .option("--result-schema <FILE>", "JSON Schema of the result, if the agent file sets result.perRun")
    .option("--model <NAME>", "one of the runModels of the agent file, in place of the agent's model")
    .option(
      "--limit <LIMIT>",
      "limit at or below the agent's, such as turn.steps=20 or run.dollars=0.5; repeatable",
      repeatedOption,
    )
    .option("--wait", "wait until the run is idle; print its output alone, and its id and progress on stderr")
    .addHelpText(
      "after",
      `
Exit codes with --wait: 0 the run finished, 1 an error (the run may proceed),
2 the run failed or was stopped, 130 after Ctrl-C (the run proceeds).`,
    )
    .action(
      action(async (session, dash: string | undefined, options: StartOptions) => {
        const { agent: agent_id, file = [], name, label, model, limit, wait } = options;
        const [input_text, files] = await Promise.all([readInput({ ...options, dash }), readFiles(file)]);
        const isServed = session.isServed();
        if (wait && !isServed)
          throw new CliError(
            `no service runs on the data directory; start it (${commandLine("start")}), or leave out --wait`,
          );
        const given = {
          agent_id,
          name: defaultRunName(name, input_text),
          input_text,
          files,
          labels: label && Object.fromEntries(label.map((each) => pairOf("--label", each))),
          result_schema: await readSchema(options.resultSchema),
          model,
          limits: limit && limitsOf(limit),
        };
        const isHere = session.hasStores && files.some((each) => each.content_base64 === "");
        const created = await (isHere
          ? createHere(session, given)
          : session.call<Schemas["Run"]>("create_run", given, labelOf));
        if (wait) return waitForRun(session, created.id, io);
        if (!isServed)
          io.err(`No service runs on the data directory; the run will start with it: ${commandLine("start")}`);
        return record(created);
      }),
    );
}

interface NewRun {
  agent_id: string;
  name: string;
  input_text: string;
  files: FileInput[];
  labels?: Labels | undefined;
  result_schema?: object | undefined;
  model?: string | undefined;
  limits?: Limits | undefined;
}

/** Creates a run with an empty file, which the API does not take. */
async function createHere(session: Session, given: NewRun): Promise<Schemas["Run"]> {
  const { actor, ...platform } = session.platform();
  const { id: agentId, organizationId } = await findAgent(platform.accounts, given.agent_id);
  const { name, input_text: text, files, labels, result_schema: schema, model, limits } = given;
  const chosen = chosenIn({ ...(model !== undefined && { model }), ...(limits && { limits }) });
  const resultSchema = schema && ownSchema(schema);
  const newRun = { name, text, files: base64Uploads(files), labels, resultSchema, chosen };
  const deps = { ...platform, now: Date.now, actor: await actor() };
  const { id } = await createRun(deps, { agentId, organizationId }, newRun);
  return session.call("get_run", { run_id: id });
}

const labelOf: Label = (field) =>
  field === "limits" || field === "labels" ? `--${field.slice(0, -1)}` : optionOf(field);

const limitNames: LimitReason[] = ["steps", "tokens", "seconds", "inputTokens", "outputTokens", "dollars"];

type Limits = Record<"turn" | "run", Record<string, number>>;

/** The values of `--limit`. */
function limitsOf(texts: string[]): Limits {
  const limits: Limits = { turn: {}, run: {} };
  for (const text of texts) {
    const [, scope, name, value] = /^(turn|run)\.(\w+)=(\d+(?:\.\d+)?)$/.exec(text) ?? [];
    if (!limitNames.some((each) => each === name) || name === undefined) {
      throw new CliError(
        `--limit is ${JSON.stringify(text)}; expected turn.NAME=NUMBER or run.NAME=NUMBER, such as turn.steps=20, with ${limitNames.join(", ")}`,
      );
    }
    const of = limits[scope === "turn" ? "turn" : "run"];
    if (of[name] !== undefined) throw new CliError(`--limit ${scope}.${name} is given twice`);
    of[name] = Number(value);
  }
  return limits;
}

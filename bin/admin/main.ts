import { Command } from "commander";
import { commandPrefix } from "../../src/command-line.ts";
import type { ValidationIssue } from "../../src/http/validation/issue.ts";
import type { ErrorCode } from "../../src/error-codes.ts";
import { ServiceError } from "../../src/errors.ts";
import { type FileIo, runProgram } from "../cli.ts";
import { printableJson, printableLine } from "../printable.ts";
import type { Action, CommandHandler } from "./action.ts";
import { addAgentCommands } from "./agents.ts";
import { RefusedCall, tokenVariable } from "./call.ts";
import { completionScript } from "./completion.ts";
import { addEnvironmentCommands } from "./environment.ts";
import { addKeyCommands } from "./keys.ts";
import { addOrganizationCommands } from "./organizations.ts";
import { addOperatorCommands } from "./operators.ts";
import { commands } from "./commands.ts";
import type { FileOutput, PrintedNote, Output } from "./output.ts";
import { addRunCommands } from "./runs/runs.ts";
import { openAdminSession } from "./session.ts";
import { addSuiteCommands } from "./trials/suites.ts";
import { addTableCommands, fieldNames } from "./table.ts";
import { addTrialCommands } from "./trials/trials.ts";
import { addWebhookCommands } from "./webhooks.ts";

const name = "admin";

interface GlobalOptions {
  json?: true;
  stack?: string;
  dataDir?: string;
  serviceUrl?: string;
}

/** Runs `npm run admin`. Resolves with the exit code: 0 on success, 1 after an error; `run start` has more. */
export function main(argv: string[], io: FileIo): Promise<number> {
  function action<Args extends unknown[]>(handler: CommandHandler<Args>, options?: { createsData: true }) {
    return async (...args: [...Args, Command]): Promise<void> => {
      const command = args.at(-1) as Command;
      const { json, stack, dataDir, serviceUrl: url } = command.optsWithGlobals<GlobalOptions>();
      const print = async (output: Output | FileOutput | PrintedNote): Promise<void> => {
        if ("note" in output) {
          if (!json || io.errIsTerminal) io.err(printableLine(output.note));
        } else if (json) io.out(printableJson(output.json));
        else if ("bytes" in output) await io.write(output.bytes);
        else io.out(output.text);
      };
      const session = await openAdminSession({ stack, dataDir, url }, { needsData: options === undefined });
      try {
        const result = await handler(session, ...(args.slice(0, -1) as unknown as Args));
        if (Symbol.asyncIterator in result) for await (const output of result) await print(output);
        else await print(result);
      } finally {
        session.close();
      }
    };
  }
  return runProgram(adminProgram(action, io), argv, io, { name, explain });
}

/** All commands. `action` decides what happens when one is called. */
export function adminProgram(action: Action, io: FileIo): Command {
  const program = new Command(commandPrefix("admin"))
    .description("Manage an Agent Run Service. All commands also work while the service is running.")
    .option("--data-dir <DIR>", "data directory of a service on this machine (default: .data)")
    .option(
      "--stack <NAME>",
      "stack of a service on AWS, such as AgentRunService-prod; uses your AWS credentials and region",
    )
    .option("--service-url <URL>", `address of a running service; needs an operator token in ${tokenVariable}`)
    .option("--json", "print JSON, for programs")
    .addHelpText(
      "after",
      "\nExit codes: 0 on success, 1 after an error (one line on stderr). See also: run start --help.",
    );
  for (const [noun, description] of Object.entries(nouns)) program.command(noun).description(description);
  const nounOf = (noun: keyof typeof nouns): Command =>
    program.commands.find((each) => each.name() === noun) as Command;
  nounOf("org").alias("organization");
  addTableCommands(program, commands, action);
  addOrganizationCommands(nounOf("org"), action);
  addAgentCommands(nounOf("agent"), action, io);
  addTrialCommands(nounOf("trial"), action);
  addSuiteCommands(nounOf("suite"), action);
  addKeyCommands(nounOf("key"), action);
  addWebhookCommands(nounOf("webhook"), action);
  addRunCommands(nounOf("run"), action, io);
  addOperatorCommands(nounOf("operator"), action, io);
  addEnvironmentCommands(program, io);
  program
    .command("completion")
    .description(`Print a completion script for: alias ${name}="${commandPrefix("admin")}"`)
    .argument("<SHELL>", "bash or zsh")
    .action((shell: string) => io.out(completionScript(program, name, shell)));
  return program;
}

const nouns = {
  org: "Manage organizations and their models.",
  agent: "Manage agents.",
  trial: "Read, judge, stop and delete trials of agent changes.",
  suite: "Keep recorded turns of an agent, to try its changes on them.",
  key: "Manage API keys.",
  run: "Start, watch and control runs.",
  webhook: "Manage where the ends of an agent's runs are reported.",
  operator: "Manage who may use the console: by links on one machine, by accounts on AWS.",
};

/** What to do about an error of a use case. */
const hints: Partial<Record<ErrorCode, string>> = {
  organization_not_found: "see org list",
  agent_not_found: "see agent list",
  version_not_found: "see agent history ID",
  agent_deleted: "create a new agent: agent create --file agent.json",
  key_not_found: "give the key, its id or its hint; see key list --agent ID",
  key_ambiguous: "give more of the id; see key list --agent ID",
  operator_not_found: "see operator list",
  operator_ambiguous: "give more of the id; see operator list",
  webhook_not_found: "see webhook set --help",
  delivery_not_found: "see webhook deliveries --agent ID",
  run_not_found: "see run list --agent ID",
  call_not_found: "see run show ID",
  step_not_found: "see run show ID",
  trial_not_found: "see trial list AGENT",
  trial_running: "see trial stop ID",
  file_not_found: "see run show ID --files",
};

function explain(error: unknown): string {
  if (error instanceof RefusedCall && error.issues.length > 0)
    return error.issues.map((each) => issueText(error, each)).join("; ");
  if (error instanceof RefusedCall) return hinted(withOptions(error), error.code);
  return error instanceof ServiceError ? hinted(error.message, error.code) : String(error);
}

function hinted(message: string, code: string): string {
  const hint = hints[code as ErrorCode];
  return hint === undefined ? message : `${message} (${hint})`;
}

/** The message of a use case, with options in place of the fields of a request that it names. */
function withOptions({ message, code, operation, label }: RefusedCall): string {
  if (code !== "invalid_argument") return message;
  return fieldNames(operation).reduce((text, field) => {
    const before = field.includes("_") ? "\\b" : "(?<=^|; |accept )"; // other words occur in sentences, too
    return text.replaceAll(new RegExp(`${before}${field}\\b`, "g"), label(field, "body"));
  }, message);
}

/** Names the option, and what it was, unless that can be a secret in the wrong place. */
function issueText(
  { given, label }: RefusedCall,
  { loc: [place, field = "", ...within], msg, type }: ValidationIssue,
): string {
  const option = label(String(field), String(place));
  if (type === "missing" && within.length === 0) return `${option} is missing`;
  const [index] = within;
  const whole = given[field];
  const value = Array.isArray(whole) && typeof index === "number" ? (whole[index] as unknown) : whole;
  const isShown = !/^string_(?!pattern)|^extra_/.test(type) && (typeof value === "string" || typeof value === "number");
  const where = [
    ...(isShown ? [` is ${JSON.stringify(value)}`] : []),
    ...(within.length > 0 && !isShown ? [`, at ${within.join(".")}`] : []),
  ];
  const text = `${option}${where.join("")}: ${msg.slice(0, 1).toLowerCase()}${msg.slice(1)}`;
  return place === "path" ? hinted(text, `${String(field).replace(/_id$/, "")}_not_found`) : text;
}

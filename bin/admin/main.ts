import { Command } from "commander";
import { commandPrefix } from "../../src/command-line.ts";
import type { ErrorCode } from "../../src/error-codes.ts";
import { ServiceError } from "../../src/errors.ts";
import { type FileIo, runProgram } from "../cli.ts";
import { printableJson, printableLine } from "../printable.ts";
import type { Action, Handler } from "./action.ts";
import { addAgentCommands } from "./agents.ts";
import { addAuditCommand } from "./audit.ts";
import { completionScript } from "./completion.ts";
import { connect } from "./connect.ts";
import { addEnvironmentCommands } from "./environment.ts";
import { addKeyCommands } from "./keys.ts";
import { addOrganizationCommands } from "./organizations.ts";
import { addOperatorCommands } from "./operators.ts";
import type { FileOutput, Note, Output } from "./output.ts";
import { addRunCommands } from "./runs.ts";
import { addSuiteCommands } from "./suites.ts";
import { addTrialCommands } from "./trials.ts";
import { addWebhookCommands } from "./webhooks.ts";

const name = "admin";

/** Runs `npm run admin`. Resolves with the exit code: 0 on success, 1 after an error; `run start` has more. */
export function main(argv: string[], io: FileIo): Promise<number> {
  function action<Args extends unknown[]>(handler: Handler<Args>, options?: { createsData: true }) {
    return async (...args: [...Args, Command]): Promise<void> => {
      const command = args.at(-1) as Command;
      const { json, stack, dataDir } = command.optsWithGlobals<{ json?: true; stack?: string; dataDir?: string }>();
      const print = async (output: Output | FileOutput | Note): Promise<void> => {
        if ("note" in output) {
          if (!json || io.errIsTerminal) io.err(printableLine(output.note));
        } else if (json) io.out(printableJson(output.json));
        else if ("bytes" in output) await io.write(output.bytes);
        else io.out(output.text);
      };
      const platform = await connect({ stack, dataDir }, { needsData: options === undefined });
      try {
        const result = await handler(platform, ...(args.slice(0, -1) as unknown as Args));
        if (Symbol.asyncIterator in result) for await (const output of result) await print(output);
        else await print(result);
      } finally {
        platform.close();
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
    .option("--json", "print JSON, for programs")
    .addHelpText(
      "after",
      "\nExit codes: 0 on success, 1 after an error (one line on stderr). See also: run start --help.",
    );
  addOrganizationCommands(program, action);
  addAgentCommands(program, action, io);
  addTrialCommands(program, action);
  addSuiteCommands(program, action);
  addKeyCommands(program, action);
  addWebhookCommands(program, action);
  addRunCommands(program, action, io);
  addOperatorCommands(program, action, io);
  addAuditCommand(program, action);
  addEnvironmentCommands(program, io);
  program
    .command("completion")
    .description(`Print a completion script for: alias ${name}="${commandPrefix("admin")}"`)
    .argument("<SHELL>", "bash or zsh")
    .action((shell: string) => io.out(completionScript(program, name, shell)));
  return program;
}

/** What to do about an error of a use case. */
const hints: Partial<Record<ErrorCode, string>> = {
  organization_not_found: "see org list",
  agent_not_found: "see agent list",
  version_not_found: "see agent history ID",
  agent_deleted: "create a new agent: agent create --file agent.json",
  key_not_found: "give the key, its hash or its hint; see key list --agent ID",
  key_ambiguous: "give more of the hash; see key list --agent ID",
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
  if (!(error instanceof ServiceError)) return String(error);
  const hint = hints[error.code];
  return hint === undefined ? error.message : `${error.message} (${hint})`;
}

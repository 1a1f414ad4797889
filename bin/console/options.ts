import { Command } from "commander";
import { commandLine, commandPrefix } from "../../src/command-line.ts";
import { CliError } from "../cli.ts";

export interface ConsoleOptions {
  stack: string;
  /** 0: any free port. */
  port: number;
  readOnly: boolean;
}

/** The command `npm run console`. `start` is called with valid options. */
export function consoleProgram(start: (options: ConsoleOptions) => Promise<void>): Command {
  return new Command(commandPrefix("console"))
    .description("Serve the web application of a service on AWS on this machine, with your AWS credentials.")
    .requiredOption("--stack <NAME>", "stack of the service, such as AgentRunService-prod")
    .option("--port <N>", "port of 127.0.0.1 to listen on; 0 for any free port", "0")
    .option("--read-only", "serve the page as a viewer, who can change nothing")
    .addHelpText(
      "after",
      `
The link contains a token that is valid until this process ends (Ctrl-C). Nothing is deployed, and only this machine
can connect. ${commandLine("start")} serves the console of a service on this machine.`,
    )
    .action(({ stack, port, readOnly }: { stack: string; port: string; readOnly?: true }) => {
      if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
        throw new CliError(`--port is ${JSON.stringify(port)}; expected a number from 0 to 65535`);
      }
      return start({ stack, port: Number(port), readOnly: readOnly === true });
    });
}

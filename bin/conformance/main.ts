import { Command } from "commander";
import { checkBaseUrl } from "../../conformance/client.ts";
import { casesFor, runCases } from "../../conformance/suite.ts";
import type { TestedServer } from "../../conformance/types.ts";
import { CliError, type Io, runProgram } from "../cli.ts";

interface Options {
  baseUrl: string;
  apiKey: string;
  templateId: string;
  otherApiKey?: string;
  disabledApiKey?: string;
  quotesFiles?: true;
  timeout: string;
  json?: true;
}

/** Runs `npm run conformance`. Exit code: 0 if all cases passed, 1 if some failed, 2 for wrong options. */
export async function main(argv: string[], io: Io): Promise<number> {
  let failed = 0;
  const program = new Command("npm run conformance --")
    .description("Check a server against the Agent Run Service specification, over HTTP only.")
    .requiredOption("--base-url <URL>", "address of the service without /v1, such as http://127.0.0.1:8787")
    .requiredOption("--api-key <KEY>", "enabled key of the agent to run; the agent's runs must be able to finish")
    .requiredOption("--template-id <ID>", "id of that agent")
    .option("--other-api-key <KEY>", "key of another agent: checks that each agent sees only its own runs")
    .option("--disabled-api-key <KEY>", "disabled key: checks that it is rejected")
    .option(
      "--quotes-files",
      "the agent's output quotes names and first lines of its files, as the starter agent's does: checks that files arrive before the input is processed",
    )
    .option("--timeout <SECONDS>", "longest duration of a run", "300")
    .option("--json", "print one JSON object on stdout, and the summary on stderr")
    .addHelpText(
      "after",
      `
Creates about 50 runs; eight of them have an input and run a turn.
Exit codes: 0 if all cases passed, 1 if some failed, 2 for wrong options.`,
    )
    .action(async ({ json, ...options }: Options) => {
      failed = await check(targetOf(options), json === true, io);
    });
  const code = await runProgram(program, argv, io, { name: "conformance", exitCode: 2 });
  return code === 0 && failed > 0 ? 1 : code;
}

/** Runs all cases. Resolves with the number of failed ones. */
async function check(target: TestedServer, json: boolean, io: Io): Promise<number> {
  const results = await runCases(casesFor(target), target, ({ name, passed, expected, received }) => {
    if (json) return;
    io.out(`${passed ? "ok  " : "FAIL"} ${name}`);
    if (!passed) io.out(`       expected ${expected}\n       received ${received}`);
  });
  const passed = results.filter((result) => result.passed).length;
  const failed = results.length - passed;
  const summary = `${passed} passed, ${failed} failed`;
  if (json) {
    io.out(JSON.stringify({ passed, failed, cases: results }));
    io.err(summary);
  } else {
    io.out(summary);
  }
  return failed;
}

function targetOf({ timeout, quotesFiles, ...options }: Omit<Options, "json">): TestedServer {
  const { baseUrl, templateId } = options;
  const problem = checkBaseUrl(baseUrl);
  if (problem !== undefined) throw new CliError(`--base-url ${problem}`);
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(templateId)) {
    throw new CliError(`--template-id is ${JSON.stringify(templateId)}; expected the agent's id, a UUID with hyphens`);
  }
  const timeoutSeconds = Number(timeout);
  if (!(timeoutSeconds > 0)) {
    throw new CliError(`--timeout is ${JSON.stringify(timeout)}; expected a number of seconds above 0`);
  }
  return { ...options, timeoutSeconds, quotesFiles: quotesFiles === true };
}

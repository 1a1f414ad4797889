import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import type { Schemas } from "../../../src/manage/schema-types.ts";
import { CliError } from "../../cli.ts";
import type { Action } from "../action.ts";
import { numberOrText, repeatedOption } from "../option-values.ts";
import type { Output } from "../output.ts";
import { turnOf } from "./trial-options.ts";

interface AddOptions {
  run?: string[];
  trial?: string;
  case?: string[];
  redact?: string[];
  redactPattern?: string[];
  redactFile?: string;
  unredacted?: string[];
}

/** The command that keeps turns. `agent try --suite` tries them. */
export function addSuiteCommands(suite: Command, action: Action): void {
  suite
    .command("add")
    .description("Copy recorded turns to a suite. The copies do not expire.")
    .argument("<AGENT>", "ID of the agent")
    .argument("<SUITE>", "name of the suite")
    .option("--run <ID>", "the turns of this run, or ID.TURN; repeatable", repeatedOption)
    .option("--trial <ID>", "with --case: a finished trial")
    .option("--case <N>", "with --trial: the turn of this case; repeatable", repeatedOption)
    .option("--redact <TEXT>", "replace this text before the turns are stored; repeatable", repeatedOption)
    .option(
      "--redact-pattern <PATTERN>",
      "replace what this regular expression of RE2 matches; repeatable",
      repeatedOption,
    )
    .option("--redact-file <FILE>", "JSON list of rules with text or pattern, and replacement (docs/trials.md)")
    .option("--unredacted <FILENAME>", "keep this file unchanged although it is not text; repeatable", repeatedOption)
    .addHelpText("after", "\nExit codes: 0, 1 after an error or if a turn was not kept.")
    .action(
      action(async (session, agent_id: string, name: string, options: AddOptions) => {
        const { redact = [], redactPattern = [], redactFile, unredacted = [] } = options;
        const rules = [
          ...(redactFile === undefined ? [] : await readRules(redactFile)),
          ...redact.map((text) => ({ text })),
          ...redactPattern.map((pattern) => ({ pattern })),
        ];
        const given = { agent_id, suite: name, cases: turnsIn(options), redact: rules, unredacted };
        return keptTurns(await session.call<Schemas["AddedCases"]>("add_cases", given));
      }),
    );
}

function turnsIn({ run = [], trial, case: numbers = [] }: AddOptions): object[] {
  if ((trial === undefined) !== (numbers.length === 0)) {
    throw new CliError("--trial and --case belong together: --trial ID --case 3 --case 5");
  }
  const ofTrial = numbers.map((number) => ({ trial_id: trial, number: numberOrText(number) }));
  if (run.length + ofTrial.length > 0) return [...run.map(turnOf), ...ofTrial];
  throw new CliError("suite add needs turns: --run ID, --run ID.TURN, or --trial ID --case N");
}

/** The validators of the API check the rules. */
async function readRules(path: string): Promise<object[]> {
  let rules: unknown;
  try {
    rules = JSON.parse(await readFile(path, "utf8"));
  } catch (error) {
    throw new CliError(`--redact-file ${path} cannot be read as JSON: ${(error as Error).message}`);
  }
  if (Array.isArray(rules)) return rules as object[];
  throw new CliError(
    `--redact-file ${path} is not a list of rules; expected such as [{"text": "Ada", "replacement": "[name]"}, {"pattern": "[0-9]{16}"}]`,
  );
}

async function* keptTurns(body: Schemas["AddedCases"]): AsyncGenerator<Output> {
  const { added, present, refused } = body;
  const counts = [
    `${added.length} kept`,
    ...(present.length > 0 ? [`${present.length} kept before`] : []),
    ...(refused.length > 0 ? [`${refused.length} not kept`] : []),
  ];
  const reasons = refused.map(({ run_id, turn, reason }) => `  ${run_id}.${turn}: ${reason}`);
  yield { text: [counts.join(" · "), ...reasons].join("\n"), json: body };
  if (refused.length > 0) throw new CliError(`${refused.length} of the turns were not kept`);
}

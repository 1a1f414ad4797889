import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import { findAgent } from "../../src/accounts/agents.ts";
import { wireAdded, wireSuite, wireSuiteHead } from "../../src/manage/wire/suite.ts";
import { maxCases } from "../../src/trials/limits.ts";
import { addCases, type AddedCases, type TurnToKeep } from "../../src/trials/suites/add-cases.ts";
import { deleteSuite, removeFromSuite } from "../../src/trials/suites/erase-suites.ts";
import { createSuite, findSuite, listKept, listSuites } from "../../src/trials/suites/suites.ts";
import type { KeptCase, RedactionRule } from "../../src/trials/suites/types.ts";
import { CliError } from "../cli.ts";
import type { Action } from "./action.ts";
import type { OperatorPlatform } from "./operator-platform.ts";
import { repeated, wholeNumber } from "./option-values.ts";
import { type Output, table } from "./output.ts";
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

/** Commands for suites. `agent try --suite` tries their cases. */
export function addSuiteCommands(program: Command, action: Action): void {
  const suite = program.command("suite").description("Keep recorded turns of an agent, to try its changes on them.");
  suite
    .command("create")
    .description("Create a suite without cases.")
    .argument("<AGENT>", "agent")
    .argument("<NAME>", "its name: letters, digits, dots, hyphens and underscores")
    .action(
      action(async (platform, agent: string, name: string) => {
        const { id } = await findAgent(platform.accounts, agent);
        const created = await createSuite(await depsOf(platform), id, name);
        return { text: `Created suite ${created.name}.`, json: wireSuite(created, []) };
      }),
    );
  suite
    .command("add")
    .description("Copy recorded turns to a suite. The copies do not expire.")
    .argument("<AGENT>", "agent")
    .argument("<NAME>", "suite")
    .option("--run <ID>", "the turns of this run, or ID.TURN; can be repeated", repeated)
    .option("--trial <ID>", "with --case: a finished trial")
    .option("--case <N>", "with --trial: the turn of this case; can be repeated", repeated)
    .option("--redact <TEXT>", "replace this text before the turns are stored; can be repeated", repeated)
    .option(
      "--redact-pattern <PATTERN>",
      "replace what this regular expression of RE2 matches; can be repeated",
      repeated,
    )
    .option("--redact-file <FILE>", "JSON list of rules with text or pattern, and replacement (docs/trials.md)")
    .option("--unredacted <FILENAME>", "keep a file as it is that is not text; can be repeated", repeated)
    .addHelpText("after", "\nExit codes: 0, 1 after an error or if a turn was not kept.")
    .action(
      action(async (platform, agent: string, name: string, options: AddOptions) => {
        const turns = turnsIn(options);
        const redaction = { rules: await rulesIn(options), unredacted: options.unredacted ?? [] };
        const { id: agentId } = await findAgent(platform.accounts, agent);
        return keptTurns(await addCases(await depsOf(platform), { agentId, name }, turns, redaction));
      }),
    );
  suite
    .command("list")
    .description("List the suites of an agent, newest first.")
    .argument("<AGENT>", "agent")
    .action(
      action(async ({ accounts, runs }, agent: string) => {
        const { id } = await findAgent(accounts, agent);
        const heads = (await listSuites(runs, id)).map(async (each) =>
          wireSuiteHead(each, (await listKept(runs, each)).length),
        );
        const rows = (await Promise.all(heads)).map(({ name, cases, created_at, created_by }) => ({
          name,
          cases,
          created_at,
          created_by: created_by ?? undefined,
        }));
        return table(rows, ["name", "cases", "created_at", "created_by"], "The agent has no suite.");
      }),
    );
  suite
    .command("show")
    .description("Show the cases of a suite.")
    .argument("<AGENT>", "agent")
    .argument("<NAME>", "suite")
    .action(
      action(async ({ accounts, runs }, agent: string, name: string) => {
        const { id } = await findAgent(accounts, agent);
        const found = await findSuite(runs, id, name);
        const cases = await listKept(runs, found);
        return { text: casesTable(cases), json: wireSuite(found, cases) };
      }),
    );
  suite
    .command("remove")
    .description("Delete one case of a suite.")
    .argument("<AGENT>", "agent")
    .argument("<NAME>", "suite")
    .argument("<CASE>", "case, as suite show prints it")
    .action(
      action(async (platform, agent: string, name: string, id: string) => {
        const { id: agentId } = await findAgent(platform.accounts, agent);
        await removeFromSuite(await depsOf(platform), { agentId, name }, id);
        return { text: `Deleted case ${id}.`, json: { id } };
      }),
    );
  suite
    .command("delete")
    .description("Delete a suite with its cases. The runs whose turns were copied stay.")
    .argument("<AGENT>", "agent")
    .argument("<NAME>", "suite")
    .action(
      action(async (platform, agent: string, name: string) => {
        const { name: deleted } = await deleteSuite(await depsOf(platform), agent, name);
        return { text: `Deleted suite ${deleted}.`, json: { name: deleted } };
      }),
    );
}

async function depsOf(platform: OperatorPlatform) {
  const { actor, ...stores } = platform;
  return { ...stores, now: Date.now, actor: await actor() };
}

function turnsIn({ run = [], trial, case: numbers = [] }: AddOptions): TurnToKeep[] {
  if ((trial === undefined) !== (numbers.length === 0)) {
    throw new CliError("--trial and --case belong together: --trial ID --case 3 --case 5");
  }
  const ofTrial = numbers.map((number) => ({ trialId: trial ?? "", number: wholeNumber("--case", number, maxCases) }));
  if (run.length + ofTrial.length > 0) return [...run.map(turnOf), ...ofTrial];
  throw new CliError("suite add needs turns: --run ID, --run ID.TURN, or --trial ID --case N");
}

async function rulesIn({ redact = [], redactPattern = [], redactFile }: AddOptions): Promise<RedactionRule[]> {
  return [
    ...(redactFile === undefined ? [] : await readRules(redactFile)),
    ...redact.map((text) => ({ text })),
    ...redactPattern.map((pattern) => ({ pattern })),
  ];
}

async function readRules(path: string): Promise<RedactionRule[]> {
  let rules: unknown;
  try {
    rules = JSON.parse(await readFile(path, "utf8"));
  } catch (error) {
    throw new CliError(`--redact-file ${path} cannot be read as JSON: ${(error as Error).message}`);
  }
  if (Array.isArray(rules) && rules.every(isRule)) return rules;
  throw new CliError(
    `--redact-file ${path} is not a list of rules; expected such as [{"text": "Ada", "replacement": "[name]"}, {"pattern": "[0-9]{16}"}]`,
  );
}

function isRule(value: unknown): value is RedactionRule {
  if (typeof value !== "object" || value === null) return false;
  const fields = Object.entries(value);
  const known = new Set(["text", "pattern", "replacement"]);
  return (
    fields.every(
      ([name, field]) => known.has(name) && typeof field === "string" && (field !== "" || name === "replacement"),
    ) && "text" in value !== "pattern" in value
  );
}

async function* keptTurns(added: AddedCases): AsyncGenerator<Output> {
  const { refused } = added;
  const counts = [
    `${added.added.length} kept`,
    ...(added.present.length > 0 ? [`${added.present.length} kept before`] : []),
    ...(refused.length > 0 ? [`${refused.length} not kept`] : []),
  ];
  const reasons = refused.map(({ runId, turn, reason }) => `  ${runId}.${turn}: ${reason}`);
  yield { text: [counts.join(" · "), ...reasons].join("\n"), json: wireAdded(added) };
  if (refused.length > 0) throw new CliError(`${refused.length} of the turns were not kept`);
}

function casesTable(cases: KeptCase[]): string {
  const rows = cases.map(({ runId, origin, redacted, input }) => ({
    case: runId,
    run: origin.runId,
    turn: origin.turn,
    redacted,
    input,
  }));
  return table(rows, ["case", "run", "turn", "redacted", "input"], "The suite has no case.").text;
}

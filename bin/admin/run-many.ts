import type { Command } from "commander";
import { semaphore } from "../../src/async/semaphore.ts";
import { ServiceError } from "../../src/errors.ts";
import { stopRun } from "../../src/runs/control-run.ts";
import { listRuns } from "../../src/runs/read/list-runs.ts";
import { retryRun } from "../../src/runs/retry-run.ts";
import type { RunStatus } from "../../src/runs/status.ts";
import type { Run } from "../../src/runs/types.ts";
import { CliError } from "../cli.ts";
import type { Action } from "./action.ts";
import type { OperatorPlatform } from "./operator-platform.ts";
import { maxListed, timeOf } from "./option-values.ts";
import { type Output, record, table } from "./output.ts";
import { runFields } from "./run-fields.ts";

/** Runs that are changed at a time. */
const atOnce = 8;

interface ManyOptions {
  all?: true;
  agent?: string;
  org?: string;
  since?: string;
}

/** A command for one run, or with `--all` for all with a status. */
interface ManyCommand {
  name: string;
  description: string;
  status: RunStatus;
  change: (deps: Parameters<typeof retryRun>[0], id: string) => Promise<Run>;
}

const commands: ManyCommand[] = [
  {
    name: "stop",
    description: "Stop a run (irreversible); queued inputs are dropped. With --all, stop all that are running.",
    status: "running",
    change: stopRun,
  },
  {
    name: "retry",
    description: "Let the turn of a run with technical_error continue. With --all, of all of them.",
    status: "technical_error",
    change: retryRun,
  },
];

export function addManyCommands(run: Command, action: Action): void {
  for (const { name, description, status, change } of commands) {
    run
      .command(name)
      .description(description)
      .argument("[ID]", "run")
      .option("--all", `all runs with the status ${status}`)
      .option("--agent <ID>", "with --all: only runs of this agent")
      .option("--org <ID>", "with --all: only runs of this organization")
      .option("--since <TIME>", "with --all: only runs created since this time, such as 2026-11-01T08:00Z")
      .action(
        action(async (stores, id: string | undefined, options: ManyOptions) => {
          requireOne(name, id, options);
          const { runs, accounts, workflow } = stores;
          const deps = { runs, accounts, workflow, now: Date.now, actor: await stores.actor() };
          if (id !== undefined) return record(runFields(await change(deps, id)));
          const inTurn = semaphore(atOnce);
          const found = await runsWith(stores, status, options);
          const outcomes = found.map((each) => inTurn(() => outcomeOf(() => change(deps, each.id), each)));
          return manyOutput(await Promise.all(outcomes));
        }),
      );
  }
}

function requireOne(name: string, id: string | undefined, { all, agent, org, since }: ManyOptions): void {
  if ((id === undefined) === (all === undefined)) throw new CliError(`run ${name} needs either an ID or --all`);
  const filter = Object.entries({ agent, org, since }).find(([, value]) => value !== undefined);
  if (id !== undefined && filter) throw new CliError(`--${filter[0]} needs --all`);
  if (agent !== undefined && org !== undefined) throw new CliError("--agent and --org cannot be used together");
}

/** All runs with a status, read before the first one is changed. */
async function runsWith(
  stores: Pick<OperatorPlatform, "accounts" | "runs">,
  status: RunStatus,
  { agent, org, since }: ManyOptions,
): Promise<Run[]> {
  const found: Run[] = [];
  const of = { ...(agent !== undefined && { agent }), ...(org !== undefined && { organization: org }) };
  const range = since === undefined ? {} : { since: timeOf("--since", since) };
  for (let cursor: string | undefined; ;) {
    const page = await listRuns(stores, {
      of,
      statuses: [status],
      limit: maxListed,
      ...range,
      ...(cursor !== undefined && { cursor }),
    });
    found.push(...page.runs);
    ({ cursor } = page);
    if (cursor === undefined) return found;
  }
}

interface Outcome {
  id: string;
  status: RunStatus;
  /** Absent: the run was changed. */
  problem?: string;
}

/** A run that cannot be changed does not keep others from it. */
async function outcomeOf(change: () => Promise<Run>, { id, status }: Run): Promise<Outcome> {
  try {
    return { id, status: (await change()).status };
  } catch (error) {
    if (error instanceof ServiceError) return { id, status, problem: error.message };
    throw error;
  }
}

function manyOutput(outcomes: Outcome[]): Output {
  const failed = outcomes.filter(({ problem }) => problem !== undefined).length;
  const { text } = table(
    outcomes.map((outcome) => ({ ...outcome, problem: outcome.problem ?? "" })),
    ["id", "status", "problem"],
    "No runs have this status.",
  );
  const summary = `\n\n${outcomes.length - failed} changed${failed > 0 ? `, ${failed} could not be` : ""}`;
  return { text: outcomes.length === 0 ? text : text + summary, json: outcomes };
}

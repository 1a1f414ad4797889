import type { Command } from "commander";
import { semaphore } from "../../../src/async/semaphore.ts";
import type { OperationName } from "../../../src/manage/contract/operations/manage-operations.ts";
import type { Schemas } from "../../../src/manage/schema-types.ts";
import type { RunFilterStatus } from "../../../src/runs/status.ts";
import { CliError } from "../../cli.ts";
import type { Action } from "../action.ts";
import { allEntries, type Caller, RefusedCall } from "../call.ts";
import { timeOption } from "../option-values.ts";
import { type Output, record, rowsText } from "../output.ts";

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
  operation: OperationName;
  status: RunFilterStatus[];
}

const commands: ManyCommand[] = [
  {
    name: "stop",
    description: "Stop a run for good and drop its queued inputs. With --all, stop all running runs.",
    operation: "stop_run",
    status: ["running", "waiting"],
  },
  {
    name: "retry",
    description: "Retry the failed turn of a run with technical_error, or with --all of all such runs.",
    operation: "retry_run",
    status: ["technical_error"],
  },
];

export function addManyCommands(run: Command, action: Action): void {
  for (const { name, description, operation, status } of commands) {
    run
      .command(name)
      .description(description)
      .argument("[ID]", "ID of the run")
      .option("--all", `all runs with the status ${status[0]}`)
      .option("--agent <ID>", "with --all: only runs of this agent")
      .option("--org <ID>", "with --all: only runs of this organization")
      .option("--since <TIME>", "with --all: only runs created since this time, such as 2026-11-01T08:00Z")
      .action(
        action(async (caller, id: string | undefined, options: ManyOptions) => {
          requireOne(name, id, options);
          if (id !== undefined) return record(await caller.call<Schemas["Run"]>(operation, { run_id: id }));
          const inTurn = semaphore(atOnce);
          const found = await runsWith(caller, status, options);
          const outcomes = found.map((each) => inTurn(() => outcomeOf(caller, operation, each)));
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
function runsWith(
  caller: Caller,
  status: RunFilterStatus[],
  { agent: agent_id, org: organization_id, since: from }: ManyOptions,
): Promise<Schemas["Run"][]> {
  const since = from === undefined ? undefined : timeOption("since", from);
  return allEntries(caller, "list_runs", { agent_id, organization_id, status, since, limit: 200 });
}

interface Outcome {
  id: string;
  status: string;
  /** Null: the run was changed. */
  problem: string | null;
}

/** A run that cannot be changed does not keep others from it. */
async function outcomeOf({ call }: Caller, operation: OperationName, { id, status }: Schemas["Run"]): Promise<Outcome> {
  try {
    return { id, status: (await call<Schemas["Run"]>(operation, { run_id: id })).status, problem: null };
  } catch (error) {
    if (error instanceof RefusedCall) return { id, status, problem: error.message };
    throw error;
  }
}

function manyOutput(outcomes: Outcome[]): Output {
  const failed = outcomes.filter(({ problem }) => problem !== null).length;
  const text = rowsText(outcomes, ["id", "status", "problem"], "No runs have this status.");
  const summary = `\n\n${outcomes.length - failed} changed${failed > 0 ? `, ${failed} could not be` : ""}`;
  return { text: outcomes.length === 0 ? text : text + summary, json: { data: outcomes, next: null } };
}

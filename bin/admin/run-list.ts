import type { Command } from "commander";
import { failureCategories } from "../../src/agent/model.ts";
import { runDescriber } from "../../src/runs/read/describe-runs.ts";
import { type FactFilter, runOrders } from "../../src/runs/read/fact-filter.ts";
import { findPage, type RunSearch } from "../../src/runs/read/search-runs.ts";
import { type RunFilterStatus, runStatuses } from "../../src/runs/status.ts";
import type { ListedRuns } from "../../src/runs/read/list-runs.ts";
import { CliError } from "../cli.ts";
import type { Action } from "./action.ts";
import { labelOf, maxListed, repeated, timeOf, valuesOf, wholeNumber } from "./option-values.ts";
import { type Output, table } from "./output.ts";
import { runFields, runUsage } from "./run-fields.ts";

interface ListOptions {
  agent?: string;
  org?: string;
  status?: string;
  label?: string[];
  model?: string[];
  tool?: string[];
  category?: string;
  minDollars?: string;
  maxDollars?: string;
  minSeconds?: string;
  maxSeconds?: string;
  sort: string;
  since?: string;
  until?: string;
  limit: string;
  cursor?: string;
}

/** Values of `--status`. A run that `waiting` lists has the status `running`. */
const listedStatuses = [...runStatuses, "waiting"] as const;
/** What lists of the API tell apart, but the status of a run does not. */
const listedWith: Partial<Record<(typeof listedStatuses)[number], RunFilterStatus[]>> = {
  finished: ["finished", "waiting_for_input"],
  running: ["running", "waiting"],
};

export function addListCommand(run: Command, action: Action): void {
  run
    .command("list")
    .description("List the runs of an agent or an organization, newest first.")
    .option("--agent <ID>", "agent")
    .option("--org <ID>", "organization, instead of an agent")
    .option("--status <STATUS>", `only runs with these: one or more, with commas, of ${listedStatuses.join(", ")}`)
    .option("--since <TIME>", "only runs created since this time, such as 2026-11-01 or 2026-11-01T08:00Z")
    .option("--until <TIME>", "only runs created before this time")
    .option("--label <KEY=VALUE>", "only runs with this label; can be repeated: with all", repeated)
    .option("--model <NAME>", "only runs whose last answer is of this model; can be repeated: of one", repeated)
    .option("--tool <NAME>", "only runs that called this tool; can be repeated: one of them", repeated)
    .option("--category <CATEGORY>", `only failed runs with these: one or more, of ${failureCategories.join(", ")}`)
    .option("--min-dollars <N>", "only runs that cost this much or more, as far as it is known")
    .option("--max-dollars <N>", "only runs that cost this much or less, as far as it is known")
    .option("--min-seconds <N>", "only runs whose turns took so long or longer")
    .option("--max-seconds <N>", "only runs whose turns took so long or less")
    .option("--sort <ORDER>", `${runOrders.join(", ")}: the largest first, of the newest 1,000 that match`, "created")
    .option("--limit <N>", `number of runs, at most ${maxListed}`, "20")
    .option("--cursor <CURSOR>", "continue the list after the page that ended with this cursor")
    .action(
      action(async (stores, options: ListOptions) => {
        const describer = runDescriber({ ...stores, now: Date.now });
        return listOutput(await findPage({ ...stores, describer }, searchOf(options)));
      }),
    );
}

function searchOf(options: ListOptions): RunSearch {
  const { agent, org, status, label, since, until, limit, cursor, sort } = options;
  const given = [agent, org].filter((id) => id !== undefined);
  if (given.length !== 1) throw new CliError("run list needs either --agent ID or --org ID");
  const statuses = status === undefined ? undefined : valuesOf("--status", status, listedStatuses);
  const order = runOrders.find((each) => each === sort);
  if (!order) throw new CliError(`--sort is ${JSON.stringify(sort)}; expected one of ${runOrders.join(", ")}`);
  return {
    of: agent === undefined ? { organization: org ?? "" } : { agent },
    limit: wholeNumber("--limit", limit, maxListed),
    facts: factsOf(options),
    order,
    now: Date.now(),
    ...(statuses && { statuses: statuses.flatMap((each) => listedWith[each] ?? each) }),
    ...(label && { labels: label.map((each) => labelOf("--label", each)) }),
    ...(since !== undefined && { since: timeOf("--since", since) }),
    ...(until !== undefined && { until: timeOf("--until", until) }),
    ...(cursor !== undefined && { cursor }),
  };
}

function factsOf(options: ListOptions): FactFilter {
  const { model, tool, category, minDollars, maxDollars, minSeconds, maxSeconds } = options;
  return {
    ...(model && { models: model }),
    ...(tool && { tools: tool }),
    ...(category !== undefined && { categories: valuesOf("--category", category, failureCategories) }),
    ...(minDollars !== undefined && { minDollars: amountOf("--min-dollars", minDollars) }),
    ...(maxDollars !== undefined && { maxDollars: amountOf("--max-dollars", maxDollars) }),
    ...(minSeconds !== undefined && { minSeconds: amountOf("--min-seconds", minSeconds) }),
    ...(maxSeconds !== undefined && { maxSeconds: amountOf("--max-seconds", maxSeconds) }),
  };
}

function amountOf(option: string, text: string): number {
  if (/^\d{1,9}(\.\d{1,9})?$/.test(text)) return Number(text);
  throw new CliError(`${option} is ${JSON.stringify(text)}; expected a number such as 0.05 or 60`);
}

function listOutput({ runs, cursor, complete = true }: ListedRuns & { complete?: boolean }): Output {
  const now = Date.now();
  const rows = runs.map((run) => Object.assign(runFields(run), { age: age(now - run.createdAt) }, runUsage(run)));
  const empty = cursor === undefined ? "No runs." : "No runs in this page.";
  const { text } = table(rows, ["id", "status", "age", "turns", "tokens", "name"], empty);
  const notes = [
    ...(complete ? [] : ["Only the newest 1,000 runs that match were sorted."]),
    ...(cursor === undefined ? [] : [`There may be more: --cursor ${cursor}`]),
  ];
  return { text: [text, ...notes].join("\n\n"), json: { runs: rows, cursor, ...(!complete && { complete }) } };
}

/** A duration in its largest whole unit, such as `3 h`. */
function age(milliseconds: number): string {
  const units = [
    ["d", 86_400_000],
    ["h", 3_600_000],
    ["min", 60_000],
  ] as const;
  const [unit, size] =
    units.find(([, unitMilliseconds]) => milliseconds >= unitMilliseconds) ?? (["s", 1_000] as const);
  return `${Math.max(0, Math.floor(milliseconds / size))} ${unit}`;
}

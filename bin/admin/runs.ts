import type { Command } from "commander";
import { findAgent } from "../../src/accounts/agents.ts";
import { acceptInput, deleteRun, stopRun } from "../../src/runs/control-run.ts";
import { findRun } from "../../src/runs/find-run.ts";
import { journalOf } from "../../src/runs/list-events.ts";
import type { Run, RunJournalEntry, RunView } from "../../src/runs/types.ts";
import { CliError } from "../cli.ts";
import type { Action } from "./action.ts";
import { failureText, followRun } from "./follow-run.ts";
import { eventOutput } from "./format-event.ts";
import { wholeNumber } from "./numbers.ts";
import { isoTime, type Output, printable, record, table } from "./output.ts";

const maxListed = 1000;
const maxSequence = 99_999_999;

export function addRunCommands(program: Command, action: Action): void {
  const run = program.command("run").description("Watch and control runs.");
  run
    .command("list")
    .description("List an agent's runs, newest first.")
    .requiredOption("--agent <ID>", "agent")
    .option("--limit <N>", `number of runs, at most ${maxListed}`, "20")
    .action(
      action(async ({ accounts, runs }, { agent, limit }: { agent: string; limit: string }) => {
        const count = wholeNumber("--limit", limit, maxListed);
        const { id } = await findAgent(accounts, agent);
        const now = Date.now();
        const rows = (await runs.listByAgent(id, count)).map((each) =>
          Object.assign(fields(each), { age: age(now - each.createdAt) }, usage(each)),
        );
        return table(rows, ["id", "status", "age", "turns", "tokens", "name"], `Agent ${id} has no runs.`);
      }),
    );
  run
    .command("show")
    .description("Show a run, its files, steps and transcript.")
    .argument("<ID>", "run")
    .option("--events", "follow the run: print each event with its time and number, until the run is idle")
    .option("--after <N>", "with --events: begin after the event with this number")
    .action(
      action(async ({ runs, workspace }, id: string, { events, after }: { events?: true; after?: string }) => {
        if (after !== undefined && !events) throw new CliError("--after needs --events");
        const found = await findRun(runs, id);
        const last = after === undefined ? undefined : wholeNumber("--after", after, maxSequence, 0);
        if (events) return followRun(runs, found.run.id, last);
        const [files, journal] = await Promise.all([workspace.list(found.run.id), journalOf({ runs }, found.run.id)]);
        return runOutput(found, files, journal);
      }),
    );
  run
    .command("input")
    .description("Send the next input to a run; it is queued while a turn is running.")
    .argument("<ID>", "run")
    .requiredOption("--text <TEXT>", "the input")
    .action(
      action(async ({ runs, accounts, workflow, actor }, id: string, { text }: { text: string }) => {
        const deps = { runs, accounts, workflow, now: Date.now, actor: await actor() };
        return record(fields(await acceptInput(deps, id, text)));
      }),
    );
  run
    .command("stop")
    .description("Stop a run (irreversible); queued inputs are dropped.")
    .argument("<ID>", "run")
    .action(
      action(async ({ runs, accounts, workflow, actor }, id: string) => {
        const deps = { runs, accounts, workflow, now: Date.now, actor: await actor() };
        return record(fields(await stopRun(deps, id)));
      }),
    );
  run
    .command("delete")
    .description("Stop a run and permanently delete its transcript, steps and files.")
    .argument("<ID>", "run")
    .action(
      action(async ({ runs, accounts, workflow, workspace, actor }, id: string) => {
        const deps = { runs, accounts, workflow, workspace, now: Date.now, actor: await actor() };
        const deleted = await deleteRun(deps, id);
        const { json } = record(fields(deleted));
        return { text: `Deleted the transcript, steps and files of run ${deleted.id}.`, json };
      }),
    );
}

function runOutput(
  { run, transcript }: RunView,
  files: { name: string; size: number }[],
  journal: RunJournalEntry[],
): Output {
  const { failure } = run;
  const steps = journal.map(eventOutput);
  const window = journal.findLast((entry) => entry.part === "answer")?.window;
  const head = record({
    ...fields(run),
    ...usage(run),
    failure: failure && failureText(failure),
    warning:
      window && `${smallWindow} (${window} tokens). Longer inputs are cut. Set contextTokens to it, or raise it.`,
    failure_category: failure && `${failure.category}${failure.retryable ? " (retryable)" : ""}`,
  });
  const text = [
    head.text,
    files.length > 0 ? "files" : "no files",
    ...files.map(({ name, size }) => `  ${printable(name)} (${size} bytes)`),
    ...(steps.length > 0 ? ["", ...steps.map((step) => step.text)] : []),
    ...transcript.map(({ role, text: message }) => `\n${role}:\n${printable(message)}`),
  ].join("\n");
  const json = {
    ...fields(run),
    ...usage(run),
    steps: steps.map((step) => step.json),
    failure,
    files,
    transcript,
  };
  return { text, json };
}

const smallWindow = "The model server's context window is smaller than the agent's contextTokens";

function fields({ id, name, status, turn, agentId, createdAt, updatedAt }: Run) {
  return {
    id,
    name,
    status,
    turns: turn,
    agent: agentId,
    created_at: isoTime(createdAt),
    updated_at: isoTime(updatedAt),
  };
}

/** Usage of a run so far. Empty for a run without model calls. */
function usage({ used }: Run) {
  if (!used) return {};
  const { steps: model_calls, inputTokens, outputTokens, dollars } = used;
  return {
    model_calls,
    tokens: inputTokens + outputTokens,
    input_tokens: inputTokens,
    cached_input_tokens: used.cachedInputTokens,
    cache_write_input_tokens: used.cacheWriteInputTokens,
    output_tokens: outputTokens,
    reasoning_tokens: used.reasoningTokens,
    dollars: dollars > 0 ? Number(dollars.toFixed(6)) : undefined,
  };
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

import type { Command } from "commander";
import { type NamedStarter, nameStarter, starterName } from "../../src/accounts/starter.ts";
import type { FileVersion } from "../../src/agent/turn/manifest.ts";
import { acceptInput, deleteRun } from "../../src/runs/control-run.ts";
import { findRun } from "../../src/runs/read/find-run.ts";
import { openCalls } from "../../src/runs/read/open-calls.ts";
import { journalOf } from "../../src/runs/read/list-events.ts";
import { listVisibleFiles } from "../../src/runs/files/read-files.ts";
import type { Labels } from "../../src/runs/labels.ts";
import { referenceIn } from "../../src/runs/turn-configuration.ts";
import type { Run, RunJournalEntry, RunView } from "../../src/runs/types.ts";
import { CliError, type FileIo } from "../cli.ts";
import type { Action } from "./action.ts";
import { failureText, followRun } from "./follow-run.ts";
import { runFields, runUsage } from "./run-fields.ts";
import { callLines, openCallFields } from "./open-calls.ts";
import { addAnswerCommands } from "./run-answer.ts";
import { addManyCommands } from "./run-many.ts";
import { addBundleCommands } from "./run-bundle.ts";
import { addForkCommand } from "./run-fork.ts";
import { addListCommand } from "./run-list.ts";
import { addStartCommand } from "./run-start.ts";
import { answererOf, eventOutput } from "./format-event.ts";
import { addFileCommand, atOption, fileLines, filesOutput } from "./run-files.ts";
import { wholeNumber } from "./option-values.ts";
import { addRequestCommand } from "./run-request.ts";
import { addShareCommands } from "./run-share.ts";
import { indented, type Output, record } from "./output.ts";

const maxSequence = 99_999_999;

interface ShowOptions {
  events?: true;
  after?: string;
  files?: true;
  at?: string;
}

export function addRunCommands(program: Command, action: Action, io: FileIo): void {
  const run = program.command("run").description("Start, watch and control runs.");
  addListCommand(run, action);
  run
    .command("show")
    .description("Show a run, its files, steps and transcript.")
    .argument("<ID>", "run")
    .option("--events", "follow the run: print each event with its time and number, until the run is idle")
    .option("--after <N>", "with --events: begin after the event with this number")
    .option("--files", "print only the files, with their SHA-256")
    .option(...atOption)
    .action(
      action(async (stores, id: string, { events, after, files, at }: ShowOptions) => {
        const { runs } = stores;
        if (after !== undefined && !events) throw new CliError("--after needs --events");
        if (at !== undefined && !files) throw new CliError("--at needs --files");
        if (events && files) throw new CliError("--events and --files cannot be used together");
        if (files) return filesOutput(stores, id, at);
        const found = await findRun(runs, id);
        const last = after === undefined ? undefined : wholeNumber("--after", after, maxSequence, 0);
        if (events) return followRun(stores, found.run.id, last);
        const { startedBy } = found.run;
        const [{ files: listed }, journal, starter] = await Promise.all([
          listVisibleFiles(stores, found.run.id),
          journalOf({ runs }, found.run.id),
          startedBy && nameStarter(stores.accounts, startedBy),
        ]);
        const steps = await Promise.all(
          journal.map(async (entry) => eventOutput(entry, await answererOf(stores.accounts, entry))),
        );
        return runOutput(found, listed, { journal, steps }, starter);
      }),
    );
  addStartCommand(run, action, io);
  addForkCommand(run, action, io);
  addBundleCommands(run, action);
  addRequestCommand(run, action);
  addAnswerCommands(run, action);
  addShareCommands(run, action);
  addFileCommand(run, action, io);
  run
    .command("input")
    .description("Send the next input to a run; it is queued while a turn is running.")
    .argument("<ID>", "run")
    .requiredOption("--text <TEXT>", "the input")
    .action(
      action(async ({ runs, accounts, workflow, actor }, id: string, { text }: { text: string }) => {
        const deps = { runs, accounts, workflow, now: Date.now, actor: await actor() };
        return record(runFields(await acceptInput(deps, id, text)));
      }),
    );
  addManyCommands(run, action);
  run
    .command("delete")
    .description("Stop a run and permanently delete its transcript, steps and files.")
    .argument("<ID>", "run")
    .action(
      action(async ({ actor, ...platform }, id: string) => {
        const deleted = await deleteRun({ ...platform, now: Date.now, actor: await actor() }, id);
        const { json } = record(runFields(deleted));
        return { text: `Deleted the transcript, steps and files of run ${deleted.id}.`, json };
      }),
    );
}

function runOutput(
  { run, transcript }: RunView,
  files: FileVersion[],
  { journal, steps }: { journal: RunJournalEntry[]; steps: Output[] },
  starter: NamedStarter | undefined,
): Output {
  const { failure } = run;
  const window = journal.findLast((entry) => entry.part === "answer")?.window;
  const turnRunsOn = runsOn(run, journal);
  const open = openCalls({ run, journal: journal.filter(({ turn }) => turn === run.turn) });
  const head = record({
    ...runFields(run),
    started_by: starter && `${starter.kind} ${starterName(starter)}`,
    ...turnRunsOn,
    ...runUsage(run),
    labels: run.labels && labelsText(run.labels),
    failure: failure && failureText(failure),
    warning:
      window &&
      `${smallWindow} (${window} tokens). Longer inputs are cut. Set contextTokens to this number, or raise the server's context window.`,
    failure_category: failure && `${failure.category}${failure.retryable ? " (retryable)" : ""}`,
  });
  const text = [
    head.text,
    ...(open.length > 0 ? ["open calls", ...open.flatMap((call) => callLines(run.id, call))] : []),
    files.length > 0 ? "files" : "no files",
    ...fileLines({ files }),
    ...(steps.length > 0 ? ["", ...steps.map((step) => step.text)] : []),
    ...transcript.map(({ role, text: message }) => `\n${role}:\n${indented(message)}`),
  ].join("\n");
  const json = {
    ...runFields(run),
    started_by: starter && { kind: starter.kind, id: starter.id, name: starterName(starter) },
    ...turnRunsOn,
    ...runUsage(run),
    labels: run.labels,
    open_calls: open.map(openCallFields),
    steps: steps.map((step) => step.json),
    failure,
    files,
    transcript,
  };
  return { text, json };
}

function labelsText(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(", ");
}

const smallWindow = "The model server's context window is smaller than the agent's contextTokens";

/** What the last turn runs on. Unknown before its first step, and for turns of earlier releases. */
function runsOn({ turn }: Run, journal: RunJournalEntry[]) {
  const reference = referenceIn(journal.filter((entry) => entry.turn === turn));
  return { agent_version: reference?.agentVersion, configuration: reference?.configuration };
}

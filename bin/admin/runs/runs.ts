import type { Command } from "commander";
import type { Schemas } from "../../../src/manage/schema-types.ts";
import { journalOf } from "../../../src/runs/read/list-events.ts";
import { CliError, type FileIo } from "../../cli.ts";
import type { Action } from "../action.ts";
import type { OperatorPlatform } from "../operator-platform.ts";
import { callLines } from "./open-calls.ts";
import { indentedText, type Output, record, rowsText } from "../output.ts";
import { addAnswerCommand } from "./run-answer.ts";
import { addBundleCommands } from "./run-bundle.ts";
import { allEvents, type PrintedEvent, eventText, failureText, runUntilIdle } from "./run-events.ts";
import { addFileCommand, atOption, fileLines, runFilesOf } from "./run-files.ts";
import { addForkCommand } from "./run-fork.ts";
import { addManyCommands } from "./run-many.ts";
import { addShareCommand } from "./run-share.ts";
import { addStartCommand } from "./run-start.ts";

interface ShowOptions {
  events?: true;
  after?: string;
  files?: true;
  at?: string;
}

export function addRunCommands(run: Command, action: Action, io: FileIo): void {
  run
    .command("show")
    .description("Show a run, its files, events and transcript.")
    .argument("<ID>", "ID of the run")
    .option("--events", "follow the run: print each event with its time and number, until the run is idle")
    .option("--after <N>", "with --events: begin after the event with this number")
    .option("--files", "print only the files, with their SHA-256")
    .option(...atOption)
    .action(
      action(async (session, run_id: string, { events, after, files, at }: ShowOptions) => {
        if (after !== undefined && !events) throw new CliError("--after needs --events");
        if (at !== undefined && !files) throw new CliError("--at needs --files");
        if (events && files) throw new CliError("--events and --files cannot be used together");
        if (events) return runUntilIdle(session, run_id, after);
        if (files) {
          const data = await runFilesOf(session, run_id, at);
          return { text: [`files  ${data.length}`, ...fileLines(data)].join("\n"), json: { data, next: null } };
        }
        const found = await session.call<Schemas["RunDetail"]>("get_run", { run_id });
        const [listed, recorded] = await Promise.all([runFilesOf(session, found.id), allEvents(session, found.id)]);
        const window = session.hasStores ? await smallWindow(session.platform(), found.id) : undefined;
        return runOutput(found, listed, recorded, window);
      }),
    );
  addStartCommand(run, action, io);
  addForkCommand(run, action, io);
  addBundleCommands(run, action);
  addAnswerCommand(run, action);
  addShareCommand(run, action);
  addFileCommand(run, action, io);
  addManyCommands(run, action);
}

/** The context window of the model's server, if it is smaller than the agent's. The API does not have it. */
async function smallWindow({ runs }: OperatorPlatform, id: string): Promise<number | undefined> {
  return (await journalOf({ runs }, id)).findLast((entry) => entry.part === "answer")?.window;
}

/** `--json` prints the run, as the API does, and what belongs to it. */
function runOutput(
  run: Schemas["RunDetail"],
  files: Schemas["RunFile"][],
  events: PrintedEvent[],
  window?: number,
): Output {
  const { open_calls: open, failure, labels, started_by: by, ...fields } = run;
  const transcript = events.filter((event) => event.type === "input" || event.type === "output");
  const head = record({
    ...fields,
    started_by: by && `${by.kind} ${by.name}`,
    labels: Object.entries(labels).map(([name, value]) => `${name}=${value}`),
    failure: failure && failureText(failure),
    warning:
      window &&
      `The model server's context window is smaller than the agent's contextTokens (${window} tokens). Longer inputs are cut. Set contextTokens to this number, or raise the server's context window.`,
    failure_category: failure && `${failure.category}${failure.retryable ? " (retryable)" : ""}`,
  });
  const text = [
    head.text,
    ...(open.length > 0 ? ["open calls", ...open.flatMap((call) => callLines(run.id, call))] : []),
    files.length > 0 ? "files" : "no files",
    ...fileLines(files),
    ...(events.length > 0 ? ["", ...events.map(eventText)] : []),
    ...transcript.map(({ type, text: message }) => `\n${type}:\n${indentedText(message)}`),
  ].join("\n");
  return { text, json: { ...run, files, events } };
}

/** The runs of a page, as a table. */
export function runTable({ data, next, complete }: Schemas["RunPage"]): string {
  const now = Date.now();
  const rows = data.map((run) => ({
    ...run,
    age: age(now - Date.parse(run.created_at)),
    tokens: run.usage.input_tokens + run.usage.output_tokens,
  }));
  return [
    rowsText(rows, ["id", "state", "age", "turn", "tokens", "name"], "No runs."),
    ...(complete ? [] : ["Only the newest 1,000 runs that match were sorted."]),
    ...(next === null ? [] : [`There may be more: --cursor ${next}`]),
  ].join("\n\n");
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

/** The calls that wait, one a line. */
export function waitingText({ data, more }: Schemas["WaitingRunList"]): string {
  const rows = data.flatMap(({ run, open_calls: calls }) =>
    calls.map((call) => ({
      run: run.id,
      call: call.id,
      kind: call.kind,
      until: call.until,
      tool: call.name,
      run_name: run.name,
    })),
  );
  return [
    rowsText(rows, ["run", "call", "kind", "until", "tool", "run_name"], "No calls wait for answers."),
    ...(more ? ["More runs wait. Answer these first, or filter with --org or --agent."] : []),
    ...(rows.length > 0 ? ["See the arguments of a call: run answer RUN CALL"] : []),
  ].join("\n\n");
}

import type { Usage } from "../../agent/turn/turn-limits.ts";
import type { FileVersion } from "../../agent/turn/files/manifest.ts";
import { ServiceError } from "../../errors.ts";
import { listRunFiles } from "../../runs/files/read-files.ts";
import { isKept } from "../../runs/erase/kept.ts";
import type { Stores } from "../../runs/ports.ts";
import { turnRecord, type TurnRecord } from "../../runs/read/turn-record.ts";
import { startOf } from "../../runs/text.ts";
import { decodeConfiguration, referenceIn, type TurnConfiguration } from "../../runs/turn-configuration.ts";
import type { RunState } from "../../runs/run-types.ts";
import { filesFromOutside } from "./recorded-calls.ts";
import type { SelectedTurn } from "./select-cases.ts";
import { turnFacts } from "./turn-facts.ts";

type Deps = Pick<Stores, "runs" | "workspace" | "configurations">;

/** What is known of a recorded turn before it is tried. `cannotBeTried`: why not, as a sentence. */
export interface InspectedTurn extends SelectedTurn {
  used: Usage;
  /** The first line of its input, at most `maxInput` characters of it. */
  input: string;
  /** Characters of the whole input and of the output. */
  characters: { input: number; output: number };
  /** Files that the turn began with. */
  files: FileVersion[];
  /** What it ran on. */
  configuration?: TurnConfiguration;
  cannotBeTried?: string;
}

/** Characters of an input that name its case in a list. */
const maxInput = 200;

/** Turns of a run that an attempt begins with, its own included: each is three of the 100 items that DynamoDB writes together. */
const maxTurns = 30;
const tooManyTurns = `The turn has more than ${maxTurns - 1} turns before it.`;

/** Reads what a trial of the turn needs, and what is missing. Calls nothing outside of the service. */
export async function inspectTurn(deps: Deps, { run, turn }: SelectedTurn): Promise<InspectedTurn> {
  const [record, state] = await Promise.all([turnRecord(deps, run.id, turn), deps.runs.loadTurn(run.id)]);
  const whole = record.transcript.at(-1)?.text ?? "";
  const inspected: InspectedTurn = {
    run,
    turn,
    used: turnFacts([...record.transcript, ...record.entries], turn).used,
    input: firstLine(whole),
    characters: { input: whole.length, output: record.output?.length ?? 0 },
    files: [],
  };
  if (turn > maxTurns) return { ...inspected, cannotBeTried: tooManyTurns };
  if (run.chosen?.model !== undefined) return { ...inspected, cannotBeTried: modelChosen(run.chosen.model) };
  const configuration = await configurationOf(deps, run.agentId, record);
  if (typeof configuration === "string") return { ...inspected, cannotBeTried: configuration };
  if (record.output === undefined || !state) return { ...inspected, cannotBeTried: "The turn has no output." };
  const files = await filesBefore(deps, { runId: run.id, turn });
  if (typeof files === "string") return { ...inspected, configuration, cannotBeTried: files };
  const lost = [...files, ...filesFromOutside(record.entries, configuration)].find(
    ({ sha256 }) => !hasContent(state, sha256),
  );
  const cannotBeTried = lost && contentLost(lost.name);
  return { ...inspected, configuration, files, ...(cannotBeTried !== undefined && { cannotBeTried }) };
}

/** Requests and prices of a trial are those of the models of its definitions. */
function modelChosen(name: string): string {
  return `The run chose the model ${JSON.stringify(name)}, and a trial asks the model of the definition.`;
}

/** The files with which a recorded turn began. A text says why they are unknown. */
export async function filesBefore(
  deps: Deps,
  { runId, turn }: { runId: string; turn: number },
): Promise<FileVersion[] | string> {
  try {
    return (await listRunFiles(deps, runId, { turn, step: 0 })).files;
  } catch (error) {
    if (error instanceof ServiceError) return `${filesUnknown}: ${error.message}.`;
    throw error;
  }
}

const filesUnknown = "The files of the recorded turn are unknown";

export const recordedRunDeleted = "The recorded run was deleted.";

export function contentLost(name: string): string {
  return `The content of the file ${JSON.stringify(name)}, as it was then, is no longer kept.`;
}

/** What a recorded turn ran on. A text says why it is unknown. */
export async function configurationOf(
  { configurations }: Pick<Deps, "configurations">,
  agentId: string,
  { entries }: Pick<TurnRecord, "entries">,
): Promise<TurnConfiguration | string> {
  const reference = referenceIn(entries);
  if (!reference) return "An earlier release recorded the turn, without what it ran on.";
  const text = await configurations.get(agentId, reference.configuration);
  return text === undefined ? "What the turn ran on is no longer kept." : decodeConfiguration(text);
}

function firstLine(text: string): string {
  const [line = ""] = text.trimStart().split("\n", 1);
  return startOf(line.trimEnd(), maxInput);
}

/** Whether the workspace has a content. A run keeps its uploads, its current files and their old contents, a suite all. */
function hasContent(
  { run, uploads = [], files = [] }: Pick<RunState, "run" | "uploads" | "files">,
  sha256 = "",
): boolean {
  return (
    isKept(run.id) ||
    uploads.some((file) => file.sha256 === sha256) ||
    files.some((file) => file.sha256 === sha256 || file.old?.includes(sha256))
  );
}

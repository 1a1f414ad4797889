import {
  applyChanges,
  type ExistingFile,
  filesIn,
  type FileVersion,
  type Manifest,
  manifestHash,
  manifestOf,
  metadataOf,
  visibleIn,
  visibleOf,
} from "../../agent/turn/files/manifest.ts";
import { findSameName } from "../../filenames.ts";
import { ServiceError } from "../../errors.ts";
import { journalOf } from "../read/list-events.ts";
import type { Uses } from "../ports.ts";
import type { RunEvent, RunJournalEntry } from "../run-types.ts";

/** A point of a run: after a step of a turn. Step 0: before the first step. */
export interface RunPoint {
  turn: number;
  step: number;
}

/** The files of a run at one point, sorted by name. `manifest`: hash of the manifest. */
export interface RunFiles {
  files: ExistingFile[];
  manifest: string;
}

/**
 * The files of a run, now or at a point. A step in progress counts with the results that are recorded. Now costs a read of
 * the current turn, a point one of the whole journal, unless the run has a single turn.
 */
export async function listRunFiles(deps: Uses<"runs">, id: string, at?: RunPoint): Promise<RunFiles> {
  const { manifest } = await manifestAt(deps, id, at);
  return { files: filesIn(manifest).map(fileOf), manifest: manifestHash(manifest) };
}

/** As `listRunFiles`, without folders that files are in: for people and programs that list names. */
export async function listVisibleFiles(deps: Uses<"runs">, id: string, at?: RunPoint): Promise<RunFiles> {
  const found = await listRunFiles(deps, id, at);
  return { ...found, files: visibleOf(found.files) };
}

/** The files of a run after a turn, or after what is recorded of it. `events`: those of the turn. */
export function listFilesAfter(deps: Uses<"runs">, id: string, turn: number, events: RunEvent[]): Promise<RunFiles> {
  const step = Math.max(0, ...events.map((event) => ("part" in event ? event.step : 0)));
  return listRunFiles(deps, id, { turn, step });
}

/** A file with the step that last changed it. Absent: an upload. */
export interface ChangedFile extends ExistingFile {
  changedAt?: RunPoint;
}

/** As `listRunFiles`, without folders that files are in, and with the steps that changed the files. Now costs the whole journal, too, if an earlier turn changed files. */
export async function listChangedFiles(deps: Uses<"runs">, id: string, at?: RunPoint): Promise<ChangedFile[]> {
  const { manifest, changes, turnsBefore } = await manifestAt(deps, id, at);
  const before = turnsBefore > 0 ? await journalOf(deps, id) : [];
  const all = [...changesIn(before.filter(({ turn }) => turn <= turnsBefore)), ...changes];
  const changedAt = new Map(all.flatMap(({ turn, step, files }) => files.map(({ name }) => [name, { turn, step }])));
  return visibleIn(manifest).map((file) => {
    const point = changedAt.get(file.name);
    return Object.assign(fileOf(file), point && { changedAt: point });
  });
}

/**
 * One file of a run, now or at a point. Its content may no longer be kept. `%2F` in a name is read as a slash: a proxy
 * between may pass it on as it is. A name is also found in another Unicode form.
 */
export async function findRunFile(deps: Uses<"runs">, id: string, name: string, at?: RunPoint): Promise<ExistingFile> {
  const { files } = await listRunFiles(deps, id, at);
  const named = (wanted: string) => files.find((each) => each.name === wanted);
  const decoded = name.replace(/%2f/gi, "/");
  const file = named(name) ?? named(decoded) ?? findSameName(files, decoded);
  if (file) return file;
  throw new ServiceError("file_not_found", `run ${id} has no file ${JSON.stringify(name)}${textOf(at)}`);
}

/** One file of a run with its content, now or at a point. */
export async function readRunFile(
  deps: Uses<"runs" | "workspace">,
  id: string,
  name: string,
  at?: RunPoint,
): Promise<{ file: ExistingFile; content: Uint8Array }> {
  const file = await findRunFile(deps, id, name, at);
  const content = await deps.workspace.read(id, file.sha256);
  if (!content) throw notKept(file, at);
  return { file, content };
}

/** The error for a file whose content is no longer kept. */
export function notKept({ name }: FileVersion, at?: RunPoint): ServiceError {
  return new ServiceError(
    "file_not_kept",
    `the content of ${JSON.stringify(name)}${textOf(at)} is no longer kept; a run keeps its uploads, its current files ` +
      "and the newest old versions of each",
  );
}

function textOf(at: RunPoint | undefined): string {
  return at ? ` after step ${at.turn}.${at.step}` : "";
}

function fileOf({ name, size, sha256, sentAs, ...others }: ExistingFile): ExistingFile {
  return { name, size, sha256, ...(sentAs !== undefined && { sentAs }), ...metadataOf(others) };
}

/** The changes of one result. */
interface Changes extends RunPoint {
  files: FileVersion[];
}

/** The files at a point, and the changes that led to them. `turnsBefore`: of so many turns, the changes are missing. */
interface FilesAt {
  manifest: Manifest;
  changes: Changes[];
  turnsBefore: number;
}

async function manifestAt({ runs }: Uses<"runs">, id: string, at: RunPoint | undefined): Promise<FilesAt> {
  const state = await runs.loadTurn(id);
  if (!state) throw new ServiceError("run_not_found", `run ${JSON.stringify(id)} does not exist`);
  const { run, uploads, files, journal } = state;
  // The manifest after the last turn that changed files can contain the changes of the current turn. They end the same.
  if (!at) {
    return { ...withChanges(files ?? uploads, journal), turnsBefore: files ? run.turn - 1 : 0 };
  }
  const whole = run.turn === 1 ? journal : await journalOf({ runs }, id); // that of the first turn is all
  requirePoint(run, whole, at);
  const earlier = whole.filter((entry) => !isAfter(entry, at));
  return { ...withChanges(uploads, earlier), turnsBefore: 0 };
}

function withChanges(start: FileVersion[] = [], entries: RunJournalEntry[]): Omit<FilesAt, "turnsBefore"> {
  const changes = changesIn(entries);
  const all = changes.flatMap(({ files }) => files);
  return { manifest: applyChanges(manifestOf(start), all, 0).manifest, changes };
}

function changesIn(entries: RunJournalEntry[]): Changes[] {
  return entries.flatMap((entry) => {
    const { turn, step } = entry;
    return entry.part === "result" && entry.files ? [{ turn, step, files: entry.files }] : [];
  });
}

function isAfter({ turn, step }: RunJournalEntry, at: RunPoint): boolean {
  return turn > at.turn || (turn === at.turn && step > at.step);
}

function requirePoint(run: { id: string; turn: number }, journal: RunJournalEntry[], at: RunPoint): void {
  const { id, turn: turns } = run;
  const point = `${at.turn}.${at.step}`;
  if (at.turn < 1 || at.turn > turns) {
    throw new ServiceError("step_not_found", `run ${id} has no step ${point}: its last turn is ${turns}`);
  }
  const last = Math.max(0, ...journal.filter(({ turn }) => turn === at.turn).map(({ step }) => step));
  if (at.step <= last) return;
  throw new ServiceError("step_not_found", `run ${id} has no step ${point}: turn ${at.turn} has ${last} steps`);
}

import { ServiceError } from "../../errors.ts";
import { canonicalJson } from "../../json.ts";
import type { ArchiveFile } from "../files/tar.ts";
import { requireWholeRecord } from "../fork/incomplete-fork.ts";
import type { Uses } from "../ports.ts";
import { type ExportedFile, exportedFile } from "../read/export-run.ts";
import { findRunHead } from "../read/find-run.ts";
import { eventsOf } from "../read/list-events.ts";
import type { Run, RunState } from "../run-types.ts";
import {
  bundleFormat,
  bundleVersion,
  configurationMember,
  configurationsOf,
  contentMember,
  contentsOf,
  eventLine,
  eventsName,
  filesNamedBy,
  manifestName,
  partLength,
  type RunRecord,
  runMember,
  runText,
} from "./format.ts";
import { zip } from "./zip.ts";

type Exported = Uses<"runs" | "workspace" | "configurations">;

/** A run as one file, while it is read. At most one of its files is in memory. */
export interface RunBundle {
  run: Run;
  bytes: AsyncIterable<Uint8Array>;
}

/**
 * Begins the bundle of a run: its record, what its turns ran on, and the contents of its files. The same record makes the same
 * bytes. Rejects for a run in progress, and one that was deleted. The bytes end with an error if the run is
 * changed or deleted meanwhile.
 */
export async function openBundle(deps: Exported, id: string): Promise<RunBundle> {
  const run = await findRunHead(deps.runs, id);
  if (run.name === "") throw new ServiceError("run_ended", `run ${run.id} was deleted and has no record to export`);
  if (run.status === "running") {
    throw invalid(
      `run ${run.id} has a turn in progress, so its record is not complete; export it when the turn has ended, or stop the run first`,
    );
  }
  requireWholeRecord(run);
  return { run, bytes: zip(bundleFiles(deps, run)) };
}

/** The files of a bundle, in the order of the archive. */
async function* bundleFiles(deps: Exported, run: Run): AsyncGenerator<ArchiveFile> {
  const { runs, workspace, configurations } = deps;
  const state = await runs.load(run.id);
  if (!state || !isSame(state.run, run)) throw changed(run);
  const listed: ExportedFile[] = [];
  const add = (name: string, content: Uint8Array): ArchiveFile => {
    const file = { name, content };
    listed.push(exportedFile(file));
    return file;
  };
  const record = recordOf(state);
  yield add(runMember, Buffer.from(runText(record)));
  const named = namedIn(record);
  for await (const part of eventParts(deps, run, named)) yield add(part.name, part.content);
  for (const hash of run.imported?.missing ?? []) named.configurations.delete(hash); // another run may have brought it
  for (const hash of [...named.configurations].toSorted()) {
    const text = await configurations.get(run.agentId, hash);
    if (text !== undefined) yield add(configurationMember(hash), Buffer.from(text));
  }
  for (const sha256 of [...named.contents].toSorted()) {
    const content = await workspace.read(run.id, sha256); // old versions may be gone
    if (content) yield add(contentMember(sha256), content);
  }
  if (!isSame(await runs.head(run.id), run)) throw changed(run);
  const manifest = canonicalJson({ format: bundleFormat, version: bundleVersion, files: listed });
  yield { name: manifestName, content: Buffer.from(`${manifest}\n`) };
}

/** The configurations and contents that a record names. */
export interface NamedContents {
  configurations: Set<string>;
  contents: Set<string>;
}

/** What a bundle says of a run: of an imported one, what its own bundle said. */
function recordOf({ run, uploads, files, summary }: RunState): RunRecord {
  return {
    runId: run.imported?.runId ?? run.id,
    run: run.imported?.run ?? run,
    ...(uploads && { uploads }),
    ...(files && { files }),
    ...(summary && { summary }),
  };
}

export function namedIn({ run, uploads = [], files = [] }: RunRecord): NamedContents {
  return {
    configurations: new Set(run.resultSchema === undefined ? [] : [run.resultSchema]),
    contents: new Set([...uploads, ...files].flatMap(contentsOf)),
  };
}

/** The events up to the run's last one, in files of about 4 MB. Adds what they name. */
async function* eventParts(deps: Exported, run: Run, named: NamedContents): AsyncGenerator<ArchiveFile> {
  let [part, lines, length]: [number, string[], number] = [1, [], 0];
  const endPart = (): ArchiveFile => {
    const file = { name: eventsName(part++), content: Buffer.from(lines.join("")) };
    [lines, length] = [[], 0];
    return file;
  };
  for await (const event of eventsOf(deps, run.id)) {
    if ((event.sequence ?? 0) > run.sequence) break;
    const line = eventLine(event);
    lines.push(line);
    length += line.length;
    for (const hash of configurationsOf(event)) named.configurations.add(hash);
    for (const sha256 of filesNamedBy(event).flatMap(contentsOf)) named.contents.add(sha256);
    if (length >= partLength) yield endPart();
  }
  if (lines.length > 0) yield endPart();
}

function isSame(now: Run | undefined, { status, turn, sequence, updatedAt }: Run): boolean {
  return now?.status === status && now.turn === turn && now.sequence === sequence && now.updatedAt === updatedAt;
}

function changed({ id }: Run): ServiceError {
  return new ServiceError("modified_concurrently", `run ${id} was changed while it was exported; export it again`);
}

function invalid(message: string): ServiceError {
  return new ServiceError("invalid_argument", message);
}

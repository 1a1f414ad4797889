import type { FileVersion } from "../../agent/turn/manifest.ts";
import { turnFiles } from "../../agent/turn/turn-files.ts";
import type { FileContents, TurnFiles, TurnFilesConfig } from "../../agent/turn/workspace-types.ts";
import type { FileInfo } from "../../agent/tools/files.ts";
import { log } from "../../log.ts";
import type { Workspace } from "../ports.ts";
import { recordsFiles } from "../run-id.ts";
import type { RunJournalEntry, RunState } from "../types.ts";

/** The workspace of a run during its current turn. */
export function filesOfTurn(
  workspace: Workspace,
  { run, journal, uploads, files }: RunState,
  config: Pick<TurnFilesConfig, "keep" | "limits" | "storage" | "signal">,
): TurnFiles {
  return turnFiles({
    contents: contentsOf(workspace, run.id),
    atStart: () => files ?? uploads ?? unrecordedFiles(workspace, run.id),
    changes: recordedChanges(journal),
    pinned: (uploads ?? []).flatMap(({ sha256 }) => sha256 ?? []),
    ...config,
  });
}

/** The files of a create that did not record them. */
export function unrecordedFiles(workspace: Workspace, runId: string): FileInfo[] | Promise<FileInfo[]> {
  return recordsFiles(runId) ? [] : workspace.listNamed(runId);
}

/** The content of a run's file. Undefined: it is no longer kept. */
export function readContent(
  workspace: Workspace,
  runId: string,
  { name, sha256 }: Pick<FileVersion, "name" | "sha256">,
): Promise<Uint8Array | undefined> {
  return sha256 === undefined ? workspace.readNamed(runId, name) : workspace.read(runId, sha256);
}

function contentsOf(workspace: Workspace, runId: string): FileContents {
  return {
    read: (file) => readContent(workspace, runId, file),
    write: (sha256, content) => workspace.write(runId, [{ sha256, content }]),
    remove: (sha256s) =>
      workspace.remove(runId, sha256s).catch((error: unknown) => {
        log("error", "old contents of files could not be deleted; they are deleted with the run", { runId, error });
      }),
  };
}

/** The changes of results, in the order in which they were recorded. */
function recordedChanges(journal: RunJournalEntry[]): FileVersion[][] {
  const results = journal.flatMap((entry) => (entry.part === "result" && entry.files ? [entry] : []));
  return results.map(({ files = [] }) => files);
}

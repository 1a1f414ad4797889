import type { FileVersion } from "../../agent/turn/files/manifest.ts";
import { turnFiles } from "../../agent/turn/files/turn-files.ts";
import type { FileContents, TurnFiles, TurnFilesConfig } from "../../agent/turn/files/workspace-types.ts";
import { log } from "../../log.ts";
import type { Workspace } from "../ports.ts";
import type { RunJournalEntry, RunState } from "../run-types.ts";

/** The workspace of a run during its current turn. */
export function filesOfTurn(
  workspace: Workspace,
  { run, journal, uploads, files }: RunState,
  config: Pick<TurnFilesConfig, "keep" | "limits" | "storage" | "signal">,
): TurnFiles {
  return turnFiles({
    contents: contentsOf(workspace, run.id),
    atStart: () => files ?? uploads ?? [],
    changes: recordedChanges(journal),
    pinned: (uploads ?? []).flatMap(({ sha256 }) => sha256 ?? []),
    ...config,
  });
}

function contentsOf(workspace: Workspace, runId: string): FileContents {
  return {
    read: (sha256) => workspace.read(runId, sha256),
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

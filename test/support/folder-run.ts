import { randomUUID } from "node:crypto";
import { type FileVersion, sha256Of } from "../../src/agent/turn/files/manifest.ts";
import type { Stores } from "../../src/runs/ports.ts";
import type { Run, RunJournalEntry } from "../../src/runs/run-types.ts";
import { answered, created, numbered, onTurn, output, resulted } from "../platform/run-fixtures.ts";

/** The files of the run that `folderRun` stores, by name. */
export const folderFiles: Record<string, string> = {
  "notes.txt": "first",
  "reports/2026/März 100%.csv": "a,b\n1,2\n",
  "reports/q3.csv": "x",
};

/** The file that step 2 deletes. */
export const deletedFile = "reports/old.csv";

/** Stores a finished run with two steps: the first writes `folderFiles` and `deletedFile`, the second deletes that one. */
export async function folderRun(
  { runs, workspace }: Pick<Stores, "runs" | "workspace">,
  owner: Pick<Run, "agentId" | "organizationId">,
): Promise<string> {
  // Finished from the start, so that no worker of a service takes it.
  const fields = { id: randomUUID(), ...owner, createdAt: Date.now(), updatedAt: Date.now() };
  const run = await created(runs, { ...fields, status: "finished" });
  const contents = Object.entries({ ...folderFiles, [deletedFile]: "old" }).map(([name, text]) => {
    const content = Buffer.from(text);
    return { name, content, sha256: sha256Of(content) };
  });
  await workspace.write(run.id, contents);
  const written = contents.map(({ name, content, sha256 }): FileVersion => ({ name, size: content.length, sha256 }));
  const deleted: FileVersion = { name: deletedFile, size: 0, deleted: true };
  const entries: RunJournalEntry[] = [
    answered(1, 1),
    { ...(resulted(1, 1) as object), files: written } as RunJournalEntry,
    answered(1, 2),
    { ...(resulted(1, 2) as object), files: [deleted] } as RunJournalEntry,
  ];
  const events = numbered(1, { entries, messages: [output(1, "Done.")] });
  const set = { status: "finished", turn: 1, updatedAt: Date.now() } as const;
  const old = written.find(({ name }) => name === deletedFile)?.sha256 ?? "";
  const files = [...written.filter(({ name }) => name !== deletedFile), { ...deleted, old: [old] }];
  if (!(await runs.change({ ...onTurn(run), set, ...events, files }))) throw new Error("the change was rejected");
  return run.id;
}

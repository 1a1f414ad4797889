import { type FileVersion, sha256Of } from "../../agent/turn/files/manifest.ts";
import { settleAll } from "../../async/settle-all.ts";
import { log } from "../../log.ts";
import { safeFilenames } from "../../filenames.ts";
import { ServiceError } from "../../errors.ts";
import { newRunLimits } from "../begin/new-run-limits.ts";
import { copyUpload, findUpload } from "./pending-uploads.ts";
import type { Uses, PendingUpload, Workspace } from "../ports.ts";
import { readUploads, type Upload, workspaceName } from "./uploads.ts";

/** The files that a run starts with, as callers give them. */
export interface GivenFiles {
  files?: Upload[];
  /** Ids of pending uploads of the agent. */
  uploads?: string[];
}

/** A file of a new run, and where its content is. */
export interface NewFile extends FileVersion {
  sha256: string;
  source: { content: Uint8Array } | { upload: PendingUpload };
}

/** Throws for more files and uploads than a run can begin with: schemas limit each of both lists. */
export function requireFileCount(count: number): void {
  if (count <= newRunLimits.files) return;
  const message = `files and uploads are ${count} together; at most ${newRunLimits.files} are accepted`;
  throw new ServiceError("invalid_argument", message);
}

/** Reads the files of a create in order, pending uploads last. Rejects for the first that cannot be used. */
export async function readNewFiles(
  deps: Uses<"pendingUploads" | "now">,
  agentId: string,
  { files = [], uploads = [] }: GivenFiles,
): Promise<NewFile[]> {
  const safeName = safeFilenames();
  const inline = readInlineFiles(files, safeName);
  const found = await settleAll(uploads.map((id) => findUpload(deps, [agentId], id)));
  const pending = found.map((upload): NewFile => {
    const { name, size, sha256 } = upload;
    return Object.assign(workspaceName(name, safeName), { size, sha256, source: { upload } });
  });
  return [...inline, ...pending];
}

/** Reads the files of a request. Throws for the first that cannot be used. `safeName`: from `safeFilenames`. */
export function readInlineFiles(files: Upload[], safeName = safeFilenames()) {
  return readUploads(files, safeName).map(({ content, ...named }) =>
    Object.assign(named, { size: content.length, sha256: sha256Of(content), source: { content } }),
  );
}

/** Resolves when all contents are durable in the workspace of the run. */
export async function storeNewFiles(
  { workspace, ...deps }: Uses<"pendingUploads" | "workspace">,
  runId: string,
  files: NewFile[],
): Promise<void> {
  const inline = files.flatMap(({ sha256, source }) =>
    "content" in source ? { sha256, content: source.content } : [],
  );
  const pending = files.flatMap(({ source }) => ("upload" in source ? source.upload : []));
  await settleAll([
    ...(inline.length > 0 ? [workspace.write(runId, inline)] : []),
    ...pending.map((upload) => copyUpload(deps, runId, upload)),
  ]);
}

/** The manifest of the files. */
export function manifestOfNew(files: NewFile[]): FileVersion[] {
  return files.map(({ source: _source, ...file }) => file);
}

/**
 * Deletes the files of a create that stored nothing else. Files that cannot be deleted now expire (AWS), or are removed at
 * the next start (one machine).
 */
export async function deleteNewFiles(workspace: Workspace, runId: string, files: Promise<NewFile[]>): Promise<void> {
  const contents = await files.then(
    (read) => read.map(({ sha256 }) => sha256),
    () => [],
  );
  if (contents.length === 0) return;
  await workspace.remove(runId, contents).catch((error: unknown) => {
    log("error", "the uploaded files of a failed create could not be deleted", { runId, error });
  });
}

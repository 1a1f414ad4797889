import { filesTooLarge, ServiceError } from "../../errors.ts";
import { safeFilenames } from "../../filenames.ts";
import { newRunLimits } from "../begin/new-run-limits.ts";

/** A file for a new run. */
export interface Upload {
  /** As the caller names it. The workspace makes it safe and unique. */
  name: string;
  /** Returns the content. It is called once. Throws a ServiceError for content that cannot be decoded. */
  content: () => Uint8Array;
}

/** The name of a file in the workspace. `sentAs`: the name that the caller gave it, if it is another one. */
export interface WorkspaceName {
  name: string;
  sentAs?: string;
}

/** `safeName`: from `safeFilenames`. */
export function workspaceName(sent: string, safeName: (name: string) => string): WorkspaceName {
  const name = safeName(sent);
  return name === sent ? { name } : { name, sentAs: sent };
}

/**
 * Reads uploads in order. Throws for the first that cannot be decoded, or that takes the total over 10 MiB. `safeName`: from
 * `safeFilenames`.
 */
export function readUploads(
  uploads: Upload[],
  safeName = safeFilenames(),
): (WorkspaceName & { content: Uint8Array })[] {
  let total = 0;
  return uploads.map((upload) => {
    const content = upload.content();
    total += content.length;
    if (total > newRunLimits.fileBytes) throw new ServiceError("files_too_large", filesTooLarge);
    return { ...workspaceName(upload.name, safeName), content };
  });
}

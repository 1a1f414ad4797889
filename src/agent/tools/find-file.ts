import { isFlatName } from "../../filenames.ts";
import { joinLimited } from "./list-files.ts";
import type { Files } from "./tool.ts";

/** A file's bytes, or a sentence that names the files there are. No name leads out of the workspace. */
export async function findFile(files: Files, name: string): Promise<{ bytes: Uint8Array } | { problem: string }> {
  const bytes = isFlatName(name) ? await files.read(name) : undefined;
  if (bytes) return { bytes };
  const names = (await files.list()).map((file) => JSON.stringify(file.name));
  return { problem: `There is no file ${JSON.stringify(name)}. Files of the workspace: ${joinLimited(names)}.` };
}

import type { FileInfo } from "../../tools/files/files.ts";
import type { TurnFiles } from "../files/workspace-types.ts";

/** The file that stays in the context: its content is in the note at the start of a turn and after each summary. */
const notesFile = "notes.md";
/** Bytes of its content that stay: about 1,300 tokens. A larger file of this name is one like any other. */
const maxNotesBytes = 4_096;

const keep = `What you write to ${notesFile} (at most ${maxNotesBytes} bytes) is shown to you again after each summary.`;

/**
 * The part of the note with the notes. `listed`: the files. `summarized`: older messages were just replaced, so it says how to keep
 * more.
 */
export async function notesPart(
  files: TurnFiles,
  { listed, summarized }: { listed: FileInfo[]; summarized: boolean },
): Promise<string | undefined> {
  const found = listed.find(({ name }) => name === notesFile);
  if (!found) return summarized ? keep : undefined;
  if (found.size > maxNotesBytes) {
    return summarized ? `${notesFile} has ${found.size} bytes, too many to be shown here. ${keep}` : undefined;
  }
  const text = new TextDecoder().decode(await contentOf(files));
  return `${notesFile}:\n${text}${summarized ? `\n\n${keep}` : ""}`;
}

async function contentOf(files: TurnFiles): Promise<Uint8Array | undefined> {
  const call = await files.startCall();
  try {
    return await call.read(notesFile);
  } finally {
    call.discard(undefined);
  }
}

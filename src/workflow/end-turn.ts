import type { TurnFiles } from "../agent/turn/files/workspace-types.ts";
import type { TurnOutcome } from "../agent/turn/turn-types.ts";
import type { EntryWriter } from "./turn-settings.ts";

/** The outcome of a turn with what its last entry refers to, and the files that it changed. */
export async function endTurn(
  running: Promise<TurnOutcome>,
  { writer, files }: { writer: Pick<EntryWriter, "outcome">; files: TurnFiles },
): Promise<TurnOutcome> {
  try {
    const ended = await writer.outcome(await running);
    const changed = ended.kind === "done" && (await files.changed());
    return changed ? { ...ended, files: changed } : ended;
  } finally {
    // Lambda would freeze a removal and send it again later, when another worker may have written the same content.
    await files.settled();
  }
}

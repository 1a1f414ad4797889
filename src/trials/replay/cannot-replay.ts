import { isKept } from "../../runs/kept.ts";
import type { Run, RunJournalEntry } from "../../runs/types.ts";
import { caseIn } from "../suites/suites.ts";

/**
 * Why a recorded turn cannot be replayed, as a sentence. Undefined: it can. What the record does not say enough of is refused: a replay
 * would differ although the engine does what it did.
 */
export function cannotReplay(run: Run, entries: RunJournalEntry[]): string | undefined {
  if (isKept(run.id) && caseIn(run).redacted > 0) {
    return "The case was redacted, so its requests are not those that were sent.";
  }
  for (const [index, entry] of entries.entries()) {
    if (entry.part === "forked" && entry.step > 0) return "A part of the turn was copied from another run.";
    if (entry.part === "resumed" && entry.reason === "retry") return "The turn had failed, and was retried.";
    if ((entry.part === "answer" || entry.part === "summary") && entry.fallback) {
      return "The agent's fallback answered a part of the turn.";
    }
    if (entry.part === "failed" && entry.begun) return "An answer of the turn broke off, and its cost is an estimate.";
    if (isRefused(entry) && entries[index + 1]) {
      return "The provider refused a request of the turn, for example because it was too long.";
    }
    if (entry.part === "summary" && entry.contextTokens !== undefined) {
      return "The provider refused a request of the turn because it was too long.";
    }
    if (entry.part === "answer" && entry.ended !== undefined && unrepeatable.test(entry.ended)) {
      return "The turn reached a limit of seconds, of dollars or of its run, which a replay does not reach.";
    }
  }
  return undefined;
}

/** Time and money are not spent again, and earlier turns are not counted. */
const unrepeatable = /^(seconds|dollars|run_)/;

function isRefused(entry: RunJournalEntry): boolean {
  return entry.part === "failed" && entry.last === true && entry.failure.category === "model_refused";
}

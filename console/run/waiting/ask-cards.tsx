import type { OpenCall } from "../../api/types.ts";
import { AskCard, type AskedRun } from "./ask-card.tsx";

interface AskCardsProps {
  run: AskedRun;
  calls: OpenCall[];
  /** The page shows this run only: its first approval has the primary button. */
  isOnly?: boolean;
  /** Reads the open calls of the run again. */
  onChanged: () => Promise<void>;
}

/** The open calls of a run, those whose time ends first at the beginning. */
export function AskCards({ run, calls, isOnly = false, onChanged }: AskCardsProps) {
  const sorted = calls.toSorted((one, other) => Date.parse(one.until) - Date.parse(other.until));
  const first = isOnly ? sorted.find(({ kind }) => kind === "approval") : undefined;
  return (
    <div class="asks">
      {sorted.map((call) => (
        <AskCard
          key={`${call.id} ${call.arguments_sha256}`}
          run={run}
          call={call}
          isPrimary={call === first}
          onChanged={onChanged}
        />
      ))}
    </div>
  );
}

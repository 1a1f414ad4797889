import { useState } from "preact/hooks";
import { call } from "../api/client.ts";
import { DiffView } from "../run/files/diff-view.tsx";
import type { Trial } from "./trial-calls.ts";
import { triedText } from "./words.ts";

/** The tried change, as a diff of two agent files. It is loaded when it is opened. */
export function Changes({ trial }: { trial: Trial }) {
  const [isOpen, setOpen] = useState(false);
  const { agent_id, control, candidate, definition } = trial;
  const { version } = control;
  if (version === null) return null;
  const load = async (): Promise<[Blob, Blob]> => [
    fileOf(await call("get_agent_version", { agent_id, version })),
    fileOf({ definition }),
  ];
  return (
    <details class="panel trial-changes" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        What is tried: {triedText(control)} → {triedText(candidate)}
      </summary>
      {isOpen && <DiffView load={load} />}
    </details>
  );
}

function fileOf({ definition }: { definition: unknown }): Blob {
  const fields = Object.entries(definition as object).filter(([name]) => name !== "$schema");
  const sorted = fields.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return new Blob([JSON.stringify(Object.fromEntries(sorted), null, 2)]);
}

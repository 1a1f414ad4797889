import { useState } from "preact/hooks";
import type { Agent } from "../api/types.ts";
import { Button } from "../ui/fields/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { draftOf } from "./agent-calls.ts";
import { DiffView } from "./diff-view.tsx";
import { formatDraft } from "../form/json-text.ts";
import type { Draft } from "../form/json.ts";

/** Another version was stored while this one was edited. */
export interface ConflictState {
  /** The agent as it is now. */
  agent: Agent;
  /** Who stored it. Undefined: unknown. */
  author: string | undefined;
}

interface ConflictProps {
  conflict: ConflictState;
  draft: Draft;
  nextVersion: number;
  onTakeTheirs: () => void;
}

/** Compares the version that another operator stored with the edited one. */
export function Conflict({ conflict: { agent, author }, draft, nextVersion, onTakeTheirs }: ConflictProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <section class="note warn conflict" role="alert">
      <Icon name="warning" />
      <div>
        <p>
          <bdi>{author ?? "Another operator"}</bdi> saved version {agent.version ?? "a new version"} while you edited.
          Compare, then save yours as {nextVersion}.
        </p>
        <div class="actions">
          <Button size="small" onClick={() => setOpen(!isOpen)}>
            {isOpen ? "Hide the difference" : "Compare"}
          </Button>
          <Button size="small" onClick={onTakeTheirs}>
            Discard mine, edit version {agent.version}
          </Button>
        </div>
        {isOpen && (
          <DiffView
            title={`Version ${agent.version} and yours`}
            before={formatDraft(draftOf(agent))}
            after={formatDraft(draft)}
          />
        )}
      </div>
    </section>
  );
}

import { useMemo } from "preact/hooks";
import { CopyButton } from "../../ui/copy-button.tsx";
import { formatDraft } from "../../form/json-text.ts";
import type { Draft } from "../../form/json.ts";
import { changedLines } from "./line-diff.ts";

interface AgentFileProps {
  stored: Draft;
  text: string;
  changes: number;
  /** Why the text cannot be read. */
  problem: string | undefined;
  readOnly: boolean;
  onInput: (text: string) => void;
}

/** The agent file as text, which can be edited. Changed lines are marked. */
export function AgentFile({ stored, text, changes, problem, readOnly, onInput }: AgentFileProps) {
  const before = useMemo(() => formatDraft(stored), [stored]);
  const isNew = Object.keys(stored).length === 0;
  const changed = useMemo(() => (isNew ? new Set<number>() : changedLines(before, text)), [before, text, isNew]);
  return (
    <section class="panel agent-file" aria-label="Agent file">
      <header class="panel-head">
        <h2>Agent file</h2>
        {changes > 0 && !isNew && <span class="badge accent">{changesText(changes)}</span>}
        <CopyButton text={text} kind="plain" />
      </header>
      <div class="code-editor">
        <pre aria-hidden="true">
          {text.split("\n").map((line, index) => (
            <span key={index} class={changed.has(index) ? "code-line changed" : "code-line"}>
              {line || " "}
            </span>
          ))}
        </pre>
        <textarea
          aria-label="Agent file as JSON"
          aria-invalid={problem !== undefined || undefined}
          aria-describedby={problem === undefined ? undefined : "agent-file-problem"}
          value={text}
          readOnly={readOnly}
          spellcheck={false}
          autocapitalize="off"
          onInput={({ currentTarget }) => onInput(currentTarget.value)}
        />
      </div>
      {problem !== undefined && (
        <p id="agent-file-problem" class="note bad" role="status">
          {problem} The form shows the last text that could be read.
        </p>
      )}
    </section>
  );
}

export function changesText(count: number): string {
  return count === 1 ? "1 change" : `${count} changes`;
}

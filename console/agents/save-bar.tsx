import { keyNames, useShortcuts } from "../state/keyboard.ts";
import { useLeaveGuard } from "../state/leave-guard.ts";
import { Button } from "../ui/fields/button.tsx";
import { FieldProblem } from "../ui/fields/field.tsx";
import { changesText } from "./form/agent-file.tsx";
import { type Change, changeText } from "../form/changes.ts";

interface SaveBarProps {
  changes: Change[];
  /** Why the agent file cannot be read. */
  problem: string | undefined;
  readOnly: string | undefined;
  isBusy: boolean;
  /** The word of the button. */
  action: string;
  /** Why the service rejected the definition, as far as it belongs to no field. */
  messages: string[];
  onDiscard: () => void;
  onStartRun: () => void;
  onTry: () => void;
  onSave: () => void;
}

/** Lists the changes and stores them. It is shown while there are changes. */
export function SaveBar({ changes, problem, readOnly, isBusy, action, messages, ...on }: SaveBarProps) {
  useShortcuts("Edit", [{ keys: "mod+s", label: "Save", run: on.onSave }]);
  useLeaveGuard(true);
  const reason = problem ?? readOnly;
  return (
    <section class="save-bar" aria-label="Changes">
      {messages.map((message) => (
        <FieldProblem key={message}>{message}</FieldProblem>
      ))}
      <div class="save-bar-row">
        <span class="badge accent">{changesText(changes.length)}</span>
        <p class="save-bar-list cut">{reason ?? changes.map(changeText).join(", ")}</p>
        <Button kind="plain" onClick={on.onDiscard} disabled={isBusy}>
          Discard
        </Button>
        <Button onClick={on.onStartRun} disabled={isBusy} blocked={reason}>
          Save and start run…
        </Button>
        <Button icon="play" onClick={on.onTry} disabled={isBusy} blocked={reason}>
          Try on recent runs…
        </Button>
        <Button kind="primary" hint={keyNames("mod+s").join("")} onClick={on.onSave} disabled={isBusy} blocked={reason}>
          {isBusy ? "Saving…" : action}
        </Button>
      </div>
    </section>
  );
}

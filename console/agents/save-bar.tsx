import { useEffect, useState } from "preact/hooks";
import { keyNames, useShortcuts } from "../state/keyboard.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { changesText } from "./form/agent-file.tsx";
import { type Change, changeText } from "./form/changes.ts";

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
  onTry: () => void;
  onSave: () => void;
}

/** Lists the changes and stores them. It is shown while there are changes. */
export function SaveBar({ changes, problem, readOnly, isBusy, action, messages, ...on }: SaveBarProps) {
  useShortcuts("Edit", [{ keys: "mod+s", label: "Save", run: on.onSave }]);
  useLeaveWarning();
  const reason = problem ?? readOnly;
  return (
    <section class="save-bar" aria-label="Changes">
      {messages.map((message) => (
        <p key={message} class="problem" role="alert">
          <Icon name="warning" />
          {message}
        </p>
      ))}
      <div class="save-bar-row">
        <span class="badge accent">{changesText(changes.length)}</span>
        <p class="save-bar-list">{reason ?? changes.map(changeText).join(", ")}</p>
        <Button kind="plain" onClick={on.onDiscard} disabled={isBusy}>
          Discard
        </Button>
        <Button onClick={on.onTry} disabled={isBusy} blocked={reason}>
          Save and try…
        </Button>
        <Button kind="primary" hint={keyNames("mod+s").join("")} onClick={on.onSave} disabled={isBusy} blocked={reason}>
          {isBusy ? "Saving…" : action}
        </Button>
      </div>
    </section>
  );
}

/** Asks before unsaved changes are lost: when the tab is closed, and when a link of the console is followed. */
export function useLeaveWarning(): void {
  const [question] = useState("Leave without saving? Your changes are lost.");
  useEffect(() => {
    const onUnload = (event: BeforeUnloadEvent): void => event.preventDefault();
    const onClick = (event: MouseEvent): void => {
      const link = (event.target as Element).closest<HTMLAnchorElement>("a[href]");
      const isElsewhere = link !== null && link.target === "" && !event.metaKey && !event.ctrlKey;
      // eslint-disable-next-line no-alert -- The question has to be answered before the router sees the click.
      if (isElsewhere && !confirm(question)) {
        event.preventDefault();
        event.stopPropagation();
      }
    };
    addEventListener("beforeunload", onUnload);
    document.addEventListener("click", onClick, true);
    return () => {
      removeEventListener("beforeunload", onUnload);
      document.removeEventListener("click", onClick, true);
    };
  }, [question]);
}

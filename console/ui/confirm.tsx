import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Button } from "./button.tsx";
import { Choice, Dialog } from "./dialog.tsx";
import { Icon } from "./icon.tsx";

interface ConfirmProps {
  title: string;
  /** What the action means. */
  children: ComponentChildren;
  /** The words of the buttons. */
  action: string;
  cancel?: string;
  /** While it runs the buttons are disabled. Its error is shown; the dialog stays open. */
  onConfirm: () => Promise<void>;
  onClose: () => void;
  danger?: boolean;
}

/** Asks before an action that cannot be undone, or that others notice. */
export function Confirm({ title, children, action, cancel, onConfirm, onClose, danger }: ConfirmProps) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const confirm = (): void => {
    setBusy(true);
    onConfirm().then(onClose, (error: Error) => {
      setBusy(false);
      setProblem(error.message);
    });
  };
  return (
    <Dialog
      title={title}
      narrow
      onClose={onClose}
      footer={
        <Choice cancel={cancel} onCancel={onClose} disabled={busy}>
          <Button kind={danger ? "danger filled" : "primary"} onClick={confirm} disabled={busy}>
            {action}
          </Button>
        </Choice>
      }
    >
      <p>{children}</p>
      {problem !== undefined && (
        <p class="note bad" role="alert">
          <Icon name="warning" />
          {problem}
        </p>
      )}
    </Dialog>
  );
}

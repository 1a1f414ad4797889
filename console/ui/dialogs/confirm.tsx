import type { ComponentChildren } from "preact";
import { useAction } from "../../api/use-action.ts";
import { Button } from "../fields/button.tsx";
import { Choice, Dialog } from "./dialog.tsx";
import { Problem } from "../problem.tsx";

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
  const { isBusy: busy, problem, run } = useAction();
  const confirm = (): void => void run(async () => onConfirm().then(onClose), true);
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
      <Problem>{problem}</Problem>
    </Dialog>
  );
}

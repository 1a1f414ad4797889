import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { useAction } from "../../api/use-action.ts";
import { Button } from "../fields/button.tsx";
import { Choice, Dialog } from "./dialog.tsx";
import { TextField } from "../fields/field.tsx";

interface CreateDialogProps {
  title: string;
  /** The button that creates, such as “Create key”. */
  action: string;
  /** What the name is for. */
  help: string;
  /** Whether it can be created without a name. */
  nameOptional?: boolean;
  /** Whether another field lacks what creating requires. */
  incomplete?: boolean;
  /** Creates it. The message of a rejection is shown at the name. */
  create: (name: string) => Promise<void>;
  onClose: () => void;
  /** More fields. */
  children?: ComponentChildren;
}

/** Asks for the name of something new, and for what `children` ask. The opener closes it once it is created. */
export function CreateDialog(props: CreateDialogProps) {
  const { title, action, help, nameOptional = false, incomplete = false, create, onClose, children } = props;
  const [name, setName] = useState("");
  const { isBusy, problem, run } = useAction();
  const form = useId();
  const isReady = !isBusy && !incomplete && (nameOptional || name.trim() !== "");
  const submit = (event: Event): void => {
    event.preventDefault();
    if (isReady) void run(() => create(name.trim()), true);
  };
  return (
    <Dialog
      title={title}
      narrow
      onClose={onClose}
      footer={
        <Choice onCancel={onClose}>
          <Button kind="primary" type="submit" form={form} disabled={!isReady}>
            {action}
          </Button>
        </Choice>
      }
    >
      <form id={form} class="stack" onSubmit={submit}>
        <TextField name="Name" help={help} problem={problem} autofocus maxLength={200} value={name} onInput={setName} />
        {children}
      </form>
    </Dialog>
  );
}

import { useState } from "preact/hooks";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Field } from "../ui/field.tsx";
import { type CreatedOperator, createOperator, type Operator } from "./settings-calls.ts";

interface CreateOperatorDialogProps {
  onClose: () => void;
  onCreated: (operator: CreatedOperator) => void;
}

/** Asks for the name and role of a new operator. */
export function CreateOperatorDialog({ onClose, onCreated }: CreateOperatorDialogProps) {
  const [name, setName] = useState("");
  const [role, setRole] = useState<Operator["role"]>("operator");
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const isEmpty = name.trim() === "";
  const create = (): void => {
    setBusy(true);
    createOperator(name.trim(), role).then(onCreated, (error: Error) => {
      setProblem(error.message);
      setBusy(false);
    });
  };
  return (
    <Dialog
      title="Create a link to this console"
      narrow
      onClose={onClose}
      footer={
        <>
          <span />
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form="create-operator" disabled={isBusy || isEmpty}>
            Create link
          </Button>
        </>
      }
    >
      <form
        id="create-operator"
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isBusy && !isEmpty) create();
        }}
      >
        <Field name="Name" help="Whom it is for. The audit log names them." problem={problem}>
          {(control) => (
            <input
              {...control}
              class="input"
              autofocus
              maxLength={200}
              autocomplete="off"
              value={name}
              onInput={({ currentTarget }) => setName(currentTarget.value)}
            />
          )}
        </Field>
        <Field name="Role" help="Viewers read everything and change nothing.">
          {(control) => (
            <select
              {...control}
              class="input"
              value={role}
              onChange={({ currentTarget }) => setRole(currentTarget.value === "viewer" ? "viewer" : "operator")}
            >
              <option value="operator">Operator</option>
              <option value="viewer">Viewer</option>
            </select>
          )}
        </Field>
      </form>
    </Dialog>
  );
}

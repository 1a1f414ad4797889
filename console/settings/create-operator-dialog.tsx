import { useState } from "preact/hooks";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { endOf, type ExpiryChoice } from "../ui/expiry-choice.ts";
import { ExpiryField } from "../ui/expiry.tsx";
import { Field } from "../ui/field.tsx";
import { AccessFields } from "./access-fields.tsx";
import { type CreatedOperator, createOperator, type NewAccess } from "./settings-calls.ts";

interface CreateOperatorDialogProps {
  onClose: () => void;
  onCreated: (operator: CreatedOperator) => void;
}

/** Asks for the name of a new operator, for what they may do, and for when the link ends. */
export function CreateOperatorDialog({ onClose, onCreated }: CreateOperatorDialogProps) {
  const [name, setName] = useState("");
  const [access, setAccess] = useState<NewAccess>({ role: "operator" });
  const [expiry, setExpiry] = useState<ExpiryChoice>({});
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const isEmpty = name.trim() === "" || access.organizations?.length === 0;
  const create = (): void => {
    setBusy(true);
    createOperator(name.trim(), access, endOf(expiry, Date.now())).then(onCreated, (error: Error) => {
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
        <AccessFields access={access} onChange={setAccess} />
        <ExpiryField choice={expiry} onChange={setExpiry} />
      </form>
    </Dialog>
  );
}

import { useState } from "preact/hooks";
import { CreateDialog } from "../ui/dialogs/create-dialog.tsx";
import { endOf, type ExpiryChoice } from "../ui/fields/expiry-choice.ts";
import { ExpiryField } from "../ui/fields/expiry.tsx";
import { AccessFields } from "./access-fields.tsx";
import { type CreatedOperator, createOperator, type NewAccess } from "./settings-calls.ts";

interface CreateOperatorDialogProps {
  onClose: () => void;
  onCreated: (operator: CreatedOperator) => void;
}

/** Asks for the name of a new operator, for what they may do, and for when the link ends. */
export function CreateOperatorDialog({ onClose, onCreated }: CreateOperatorDialogProps) {
  const [access, setAccess] = useState<NewAccess>({ role: "operator" });
  const [expiry, setExpiry] = useState<ExpiryChoice>({});
  return (
    <CreateDialog
      title="Create a link to this console"
      action="Create link"
      help="Whom it is for. The audit log names them."
      incomplete={access.organizations?.length === 0}
      create={(name) => createOperator(name, access, endOf(expiry, Date.now())).then(onCreated)}
      onClose={onClose}
    >
      <AccessFields access={access} onChange={setAccess} />
      <ExpiryField choice={expiry} onChange={setExpiry} />
    </CreateDialog>
  );
}

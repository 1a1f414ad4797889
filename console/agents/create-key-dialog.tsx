import { useState } from "preact/hooks";
import type { Agent } from "../api/types.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { endOf, type ExpiryChoice } from "../ui/expiry-choice.ts";
import { ExpiryField } from "../ui/expiry.tsx";
import { Field } from "../ui/field.tsx";
import { createKey, type CreatedKey } from "./agent-calls.ts";

interface CreateKeyDialogProps {
  agent: Agent;
  onClose: () => void;
  onCreated: (key: CreatedKey) => void;
}

/** Asks for the name of a new key, and for when it ends. */
export function CreateKeyDialog({ agent, onClose, onCreated }: CreateKeyDialogProps) {
  const [name, setName] = useState("");
  const [expiry, setExpiry] = useState<ExpiryChoice>({});
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const create = (): void => {
    setBusy(true);
    createKey(agent.id, name, endOf(expiry, Date.now())).then(onCreated, (error: Error) => {
      setProblem(error.message);
      setBusy(false);
    });
  };
  return (
    <Dialog
      title={`Create a key for ${agent.name}`}
      narrow
      onClose={onClose}
      footer={
        <>
          <span />
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form="create-key" disabled={isBusy}>
            Create key
          </Button>
        </>
      }
    >
      <form
        id="create-key"
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isBusy) create();
        }}
      >
        <Field name="Name" help="The program that uses the key, such as billing-worker." problem={problem}>
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
        <ExpiryField choice={expiry} onChange={setExpiry} />
      </form>
    </Dialog>
  );
}

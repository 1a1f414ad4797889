import { useState } from "preact/hooks";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Field } from "../ui/field.tsx";
import { toast } from "../ui/toast.tsx";
import { createOrganization } from "./model-calls.ts";

/** Asks for the name of a new organization. */
export function CreateOrganization({ onClose, onCreated }: { onClose: () => void; onCreated: (id: string) => void }) {
  const [name, setName] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  async function create(): Promise<void> {
    setBusy(true);
    try {
      const { id } = await createOrganization(name.trim());
      toast(`Created ${name.trim()}`);
      onCreated(id);
    } catch (error) {
      setProblem((error as Error).message);
      setBusy(false);
    }
  }
  const isEmpty = name.trim() === "";
  return (
    <Dialog
      title="New organization"
      narrow
      onClose={onClose}
      footer={
        <>
          <span />
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form="create-organization" disabled={isBusy || isEmpty}>
            Create organization
          </Button>
        </>
      }
    >
      <form
        id="create-organization"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isBusy && !isEmpty) void create();
        }}
      >
        <Field name="Name" help="Its agents get the model that you set next." problem={problem}>
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
      </form>
    </Dialog>
  );
}

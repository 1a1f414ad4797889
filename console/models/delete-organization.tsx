import { useState } from "preact/hooks";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Field } from "../ui/field.tsx";
import { toast } from "../ui/toast.tsx";
import type { Organization } from "../api/types.ts";
import { deleteOrganization } from "./model-calls.ts";

interface Props {
  organization: Organization;
  onClose: () => void;
  onDeleted: () => void;
}

/** Deletes an organization after its name was typed. */
export function DeleteOrganization({ organization, onClose, onDeleted }: Props) {
  const { id, name } = organization;
  const [typed, setTyped] = useState("");
  const [deleted, setDeleted] = useState<number>();
  const [problem, setProblem] = useState<string>();
  const isBusy = deleted !== undefined;
  async function remove(): Promise<void> {
    setProblem(undefined);
    try {
      const runs = await deleteOrganization(id, typed, setDeleted);
      toast(`Deleted ${name} with ${runs} runs`);
      onDeleted();
    } catch (error) {
      setProblem((error as Error).message);
      setDeleted(undefined);
    }
  }
  return (
    <Dialog
      title={`Delete “${name}”?`}
      narrow
      onClose={onClose}
      footer={
        <>
          <span>{isBusy && `${deleted} runs deleted …`}</span>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="danger filled" type="submit" form="delete-organization" disabled={isBusy || typed !== name}>
            Delete organization
          </Button>
        </>
      }
    >
      <form
        id="delete-organization"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isBusy && typed === name) void remove();
        }}
      >
        <p>
          This ends its runs and deletes its runs, files, agents, keys, webhooks and usage for good. The audit keeps
          what operators did.
        </p>
        <Field name="Name" help="Type the organization's name to confirm." problem={problem}>
          {(control) => (
            <input
              {...control}
              class="input"
              autofocus
              autocomplete="off"
              value={typed}
              onInput={({ currentTarget }) => setTyped(currentTarget.value)}
            />
          )}
        </Field>
      </form>
    </Dialog>
  );
}

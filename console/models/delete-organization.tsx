import { useState } from "preact/hooks";
import { Button } from "../ui/fields/button.tsx";
import { Dialog } from "../ui/dialogs/dialog.tsx";
import { TextField } from "../ui/fields/field.tsx";
import { toast } from "../ui/dialogs/toast.tsx";
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
      toast(`Deleted ${name} with ${runsText(runs)}`);
      onDeleted();
    } catch (error) {
      const message = (error as Error).message.replace(/\.?$/, ".");
      setProblem(`${message} What was deleted is gone; delete the organization again to continue.`);
      setDeleted(undefined);
    }
  }
  return (
    <Dialog
      title={isBusy ? `Deleting “${name}” …` : `Delete the organization “${name}”?`}
      narrow
      onClose={onClose}
      footer={
        <>
          <span role="status">{isBusy && `${runsText(deleted)} deleted so far`}</span>
          <Button onClick={onClose}>{isBusy ? "Close" : "Cancel"}</Button>
          <Button
            kind="danger filled"
            type="submit"
            form="delete-organization"
            blocked={typed === name ? undefined : "Type the organization’s name to confirm."}
            disabled={isBusy}
          >
            Delete organization
          </Button>
        </>
      }
    >
      <form
        id="delete-organization"
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isBusy && typed === name) void remove();
        }}
      >
        <p>
          {isBusy
            ? "This cannot be cancelled. It continues when you close this dialog, but keep the page open."
            : "This ends its runs, and deletes them with their files, its agents, keys, webhooks and usage. It cannot be undone. " +
              "The audit keeps what operators did."}
        </p>
        <TextField
          name="Name"
          help={`Type “${name}” to confirm.`}
          problem={problem}
          autofocus
          value={typed}
          readOnly={isBusy}
          onInput={setTyped}
        />
      </form>
    </Dialog>
  );
}

function runsText(count: number): string {
  return count === 1 ? "1 run" : `${count} runs`;
}

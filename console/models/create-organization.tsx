import { CreateDialog } from "../ui/dialogs/create-dialog.tsx";
import { toast } from "../ui/dialogs/toast.tsx";
import { createOrganization } from "./model-calls.ts";

/** Asks for the name of a new organization. */
export function CreateOrganization({ onClose, onCreated }: { onClose: () => void; onCreated: (id: string) => void }) {
  return (
    <CreateDialog
      title="New organization"
      action="Create organization"
      help="Its agents get the model that you set next."
      create={async (name) => {
        const { id } = await createOrganization(name);
        toast(`Created ${name}`);
        onCreated(id);
      }}
      onClose={onClose}
    />
  );
}

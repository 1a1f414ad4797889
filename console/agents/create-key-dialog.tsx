import { useState } from "preact/hooks";
import type { Agent } from "../api/types.ts";
import { CreateDialog } from "../ui/dialogs/create-dialog.tsx";
import { endOf, type ExpiryChoice } from "../ui/fields/expiry-choice.ts";
import { ExpiryField } from "../ui/fields/expiry.tsx";
import { createKey, type CreatedKey } from "./agent-calls.ts";

interface CreateKeyDialogProps {
  agent: Agent;
  onClose: () => void;
  onCreated: (key: CreatedKey) => void;
}

/** Asks for the name of a new key, and for when it ends. */
export function CreateKeyDialog({ agent, onClose, onCreated }: CreateKeyDialogProps) {
  const [expiry, setExpiry] = useState<ExpiryChoice>({});
  return (
    <CreateDialog
      title={`Create a key for ${agent.name}`}
      action="Create key"
      help="The program that uses the key, such as billing-worker."
      nameOptional
      create={(name) => createKey(agent.id, name, endOf(expiry, Date.now())).then(onCreated)}
      onClose={onClose}
    >
      <ExpiryField choice={expiry} onChange={setExpiry} />
    </CreateDialog>
  );
}

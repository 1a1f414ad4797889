import { useState } from "preact/hooks";
import { Button } from "../ui/button.tsx";
import { Choice, Dialog } from "../ui/dialog.tsx";
import { Field } from "../ui/field.tsx";
import { type ChangedWebhook, setWebhook, type Webhook } from "./webhook-calls.ts";

interface SettingsDialogProps {
  agentId: string;
  /** Undefined: the agent has none yet. */
  webhook: Webhook | undefined;
  onClose: () => void;
  onChange: (changed: ChangedWebhook) => void;
}

/** Asks for the URL of a webhook. */
export function SettingsDialog({ agentId, webhook, onClose, onChange }: SettingsDialogProps) {
  const [url, setUrl] = useState(webhook?.url ?? "");
  const [isPrivate, setPrivate] = useState(webhook?.private_addresses ?? false);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const save = (): void => {
    setBusy(true);
    const settings = { url: url.trim() || null, private_addresses: isPrivate, enabled: true };
    setWebhook(agentId, settings).then(onChange, (error: Error) => {
      setProblem(error.message);
      setBusy(false);
    });
  };
  return (
    <Dialog
      title={webhook ? "Edit the webhook" : "Set a webhook"}
      narrow
      onClose={onClose}
      footer={
        <Choice onCancel={onClose}>
          <Button kind="primary" type="submit" form="webhook-settings" disabled={isBusy}>
            {webhook?.enabled === false ? "Save and enable" : "Save"}
          </Button>
        </Choice>
      }
    >
      <form
        id="webhook-settings"
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isBusy) save();
        }}
      >
        <Field name="URL" help="Leave it empty to report only runs that name their own URL." problem={problem}>
          {(control) => (
            <input
              {...control}
              class="input"
              autofocus
              autocomplete="off"
              inputMode="url"
              placeholder="https://example.com/hooks/runs"
              value={url}
              onInput={({ currentTarget }) => setUrl(currentTarget.value)}
            />
          )}
        </Field>
        <label class="check">
          <input
            type="checkbox"
            checked={isPrivate}
            onChange={({ currentTarget }) => setPrivate(currentTarget.checked)}
          />
          Accept http: and private addresses
        </label>
      </form>
    </Dialog>
  );
}

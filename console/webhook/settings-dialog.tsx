import { useState } from "preact/hooks";
import { useAction } from "../api/use-action.ts";
import { Button } from "../ui/button.tsx";
import { Choice, Dialog } from "../ui/dialog.tsx";
import { Check, TextField } from "../ui/field.tsx";
import { eventTypes } from "../../src/accounts/limits.ts";
import { addEndpoint, type ChangedReceiver, endpointIdOf, type Receiver, setWebhook } from "./webhook-calls.ts";

interface SettingsDialogProps {
  agentId: string;
  /** Undefined: a new one. */
  webhook: Receiver | undefined;
  /** Whether it is an endpoint besides the first. */
  isFurther?: boolean;
  onClose: () => void;
  onChange: (changed: ChangedReceiver) => void;
}

/** Asks for the settings of a webhook or a further endpoint. */
export function SettingsDialog({ agentId, webhook, isFurther = false, onClose, onChange }: SettingsDialogProps) {
  const [url, setUrl] = useState(webhook?.url ?? "");
  const [types, setTypes] = useState<readonly string[]>(webhook?.event_types ?? eventTypes);
  const [isPrivate, setPrivate] = useState(webhook?.private_addresses ?? false);
  const { isBusy, problem, run } = useAction();
  const save = async (): Promise<void> => {
    const chosen = eventTypes.filter((type) => types.includes(type));
    const event_types = chosen.length === eventTypes.length ? null : chosen;
    const settings = { url: url.trim() || null, event_types, private_addresses: isPrivate, enabled: true };
    const saved =
      isFurther && !webhook ? addEndpoint(agentId, settings) : setWebhook(agentId, settings, endpointIdOf(webhook));
    onChange(await saved);
  };
  return (
    <Dialog
      title={titleOf(webhook !== undefined, isFurther)}
      narrow
      onClose={onClose}
      footer={
        <Choice onCancel={onClose}>
          <Button kind="primary" type="submit" form="webhook-settings" disabled={isBusy || types.length === 0}>
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
          void run(save, true);
        }}
      >
        <TextField
          name="URL"
          help={isFurther ? "" : "Leave it empty to report only runs that name their own URL."}
          problem={problem}
          autofocus
          required={isFurther}
          inputMode="url"
          placeholder="https://example.com/hooks/runs"
          value={url}
          onInput={setUrl}
        />
        <fieldset class="stack">
          <legend>Events</legend>
          {eventTypes.map((type) => (
            <Check
              key={type}
              checked={types.includes(type)}
              onChange={(checked) =>
                setTypes((before) => (checked ? [...before, type] : before.filter((each) => each !== type)))
              }
            >
              {type}
            </Check>
          ))}
        </fieldset>
        <Check checked={isPrivate} onChange={setPrivate}>
          Accept http: and private addresses
        </Check>
      </form>
    </Dialog>
  );
}

function titleOf(isKnown: boolean, isFurther: boolean): string {
  if (isFurther) return isKnown ? "Edit the endpoint" : "Add an endpoint";
  return isKnown ? "Edit the webhook" : "Set a webhook";
}

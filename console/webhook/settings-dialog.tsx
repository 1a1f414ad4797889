import { SetWebhookEndpointRequest, SetWebhookRequest } from "../../src/manage/generated/form-schemas.ts";
import { SchemaFields } from "../form/schema-form.tsx";
import { type Field, type FieldSchema, fieldsOf } from "../form/schema-fields.ts";
import { useBody } from "../form/use-body.ts";
import { Button } from "../ui/fields/button.tsx";
import { Choice, Dialog } from "../ui/dialogs/dialog.tsx";
import { Problem } from "../ui/problem.tsx";
import {
  addEndpoint,
  type ChangedReceiver,
  endpointIdOf,
  type Receiver,
  setWebhook,
  type WebhookSettings,
} from "./webhook-calls.ts";

const fieldsIn = (schema: FieldSchema, url: string): Field[] =>
  fieldsOf(schema, {
    labels: { url: "URL", event_types: "Events", private_addresses: "Accept http: and private addresses" },
    helps: { url, event_types: "", private_addresses: "" },
  }).filter(({ name }) => name !== "enabled");

const ofWebhook = fieldsIn(SetWebhookRequest, "Leave it empty to report only runs that name their own URL.");
const ofEndpoint = fieldsIn(SetWebhookEndpointRequest, "");

interface SettingsDialogProps {
  agentId: string;
  /** Undefined: a new one. */
  webhook: Receiver | undefined;
  /** Whether it is an endpoint besides the first. */
  isFurther?: boolean;
  onClose: () => void;
  onChange: (changed: ChangedReceiver) => void;
}

/** Asks for the settings of a webhook or a further endpoint, which then is enabled. */
export function SettingsDialog({ agentId, webhook, isFurther = false, onClose, onChange }: SettingsDialogProps) {
  const fields = isFurther ? ofEndpoint : ofWebhook;
  const { form, isComplete, isBusy, problem, send } = useBody<WebhookSettings>(fields, webhook ?? {}, {
    readOnly: undefined,
    focused: "url",
  });
  const save = async (body: WebhookSettings): Promise<void> => {
    const settings = { ...body, enabled: true };
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
          <Button kind="primary" type="submit" form="webhook-settings" disabled={isBusy || !isComplete}>
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
          void send(save);
        }}
      >
        <SchemaFields fields={fields} form={form} columns="one" />
        <Problem>{problem}</Problem>
      </form>
    </Dialog>
  );
}

function titleOf(isKnown: boolean, isFurther: boolean): string {
  if (isFurther) return isKnown ? "Edit the endpoint" : "Add an endpoint";
  return isKnown ? "Edit the webhook" : "Set a webhook";
}

import { useState } from "preact/hooks";
import { formatDateTime } from "../format.ts";
import { useAction } from "../api/use-action.ts";
import { Button } from "../ui/fields/button.tsx";
import { Confirm } from "../ui/dialogs/confirm.tsx";
import { Fact } from "../ui/fact.tsx";
import { Problem } from "../ui/problem.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { toast } from "../ui/dialogs/toast.tsx";
import {
  type ChangedReceiver,
  endpointIdOf,
  type Receiver,
  removeWebhook,
  rotateSecret,
  setWebhook,
} from "./webhook-calls.ts";

interface WebhookFactsProps {
  webhook: Receiver;
  /** Why nothing can be changed now. */
  reason: string | undefined;
  onChange: (changed: ChangedReceiver) => void;
  onRemove: () => void;
}

/** The settings of a webhook or a further endpoint, and what can be done with it. */
export function WebhookFacts({ webhook, reason, onChange, onRemove }: WebhookFactsProps) {
  const {
    agent_id: agentId,
    url,
    enabled,
    disabled_reason: why,
    event_types,
    private_addresses,
    old_secret_valid_until: oldUntil,
  } = webhook;
  const id = endpointIdOf(webhook);
  const noun = id === undefined ? "webhook" : "endpoint";
  const [asking, setAsking] = useState<"rotate" | "remove">();
  const { problem, run } = useAction();
  const toggle = async (): Promise<void> => {
    onChange(await setWebhook(agentId, { url, event_types, private_addresses, enabled: !enabled }, id));
    toast(`${enabled ? "Disabled" : "Enabled"} the ${noun}`);
  };
  const close = (): void => setAsking(undefined);
  return (
    <>
      <Problem>{problem}</Problem>
      <dl class="facts">
        <Fact name="URL">
          {url === null ? (
            <span class="muted">none: only runs with their own URL are reported</span>
          ) : (
            <code>{url}</code>
          )}
        </Fact>
        <Fact name="State">
          {enabled ? "enabled" : <span class="badge warn">disabled</span>} {why}
        </Fact>
        <Fact name="Events">{event_types?.join(", ") ?? "all"}</Fact>
        <Fact name="Addresses">
          {private_addresses ? "private ones and http: are accepted" : "https: to public ones"}
        </Fact>
        <Fact name="Secret">
          created <RelativeTime at={webhook.secret_created_at} />
          {oldUntil !== null && `; the old one is valid until ${formatDateTime(oldUntil)}`}
        </Fact>
      </dl>
      <div class="panel-body panel-actions">
        <Button size="small" blocked={reason} onClick={() => void run(toggle)}>
          {enabled ? "Disable" : "Enable"}
        </Button>
        <Button size="small" blocked={reason} onClick={() => setAsking("rotate")}>
          Rotate secret…
        </Button>
        <Button size="small" kind="danger" blocked={reason} onClick={() => setAsking("remove")}>
          Remove…
        </Button>
      </div>
      {asking === "rotate" && (
        <Confirm
          title="Rotate the secret?"
          action="Rotate"
          onClose={close}
          onConfirm={async () => onChange(await rotateSecret(agentId, id))}
        >
          You get a new secret, which is shown once. Messages are signed with the old one, too, for 24 hours.
        </Confirm>
      )}
      {asking === "remove" && (
        <Confirm
          title={`Remove the ${noun}?`}
          action="Remove"
          danger
          onClose={close}
          onConfirm={async () => {
            await removeWebhook(agentId, id);
            onRemove();
            toast(`Removed the ${noun}`);
          }}
        >
          Its secret is deleted. Messages that were not delivered yet fail
          {id === undefined && ", also those to the URLs of single runs"}.
        </Confirm>
      )}
    </>
  );
}

import { useState } from "preact/hooks";
import type { Agent } from "../api/types.ts";
import { useResource } from "../api/use-resource.ts";
import { blocked } from "../state/blocked.ts";
import { Button } from "../ui/fields/button.tsx";
import { Loading } from "../ui/empty.tsx";
import { Problem } from "../ui/problem.tsx";
import { Deliveries } from "./deliveries.tsx";
import { Endpoints } from "./endpoints.tsx";
import { SecretReveal } from "./secret-reveal.tsx";
import { SettingsDialog } from "./settings-dialog.tsx";
import { type ChangedReceiver, readEndpoints, readWebhook, type Webhook } from "./webhook-calls.ts";
import { WebhookFacts } from "./webhook-facts.tsx";

/** Why no test message can be sent to a webhook. */
function noTestOf({ url, enabled }: Webhook): string | undefined {
  if (url === null) return "The webhook has no URL.";
  return enabled ? undefined : "The webhook is disabled.";
}

/** Where the ends of an agent's runs are reported, and what was sent. */
export function WebhookTab({ agent }: { agent: Agent }) {
  const { data: webhook, error, replace } = useResource(agent.id, (signal) => readWebhook(agent.id, signal), 15_000);
  const endpoints = useResource(`${agent.id} endpoints`, (signal) => readEndpoints(agent.id, signal), 15_000);
  const [isEditing, setEditing] = useState(false);
  // The secret itself is in this state only, and gone when the dialog is closed.
  const [secret, setSecret] = useState<string>();
  const reason =
    agent.status === "deleted" ? "This agent is deleted." : blocked("change webhooks", agent.organization_id);
  const onChange = ({ secret: created, ...changed }: ChangedReceiver): void => {
    setEditing(false);
    if (!("id" in changed)) replace(changed);
    if (created !== null) setSecret(created);
  };
  return (
    <div class="stack">
      <section class="panel">
        <header class="panel-head">
          <h2>Webhook</h2>
          <span class="muted">{reason ?? "Reports each run that finishes, fails or is stopped"}</span>
          {webhook && (
            <Button size="small" blocked={reason} onClick={() => setEditing(true)}>
              Edit…
            </Button>
          )}
        </header>
        <Problem>{error?.message}</Problem>
        {webhook === undefined && !error && <Loading rows={3} />}
        {webhook === null && (
          <div class="none">
            <p>No webhook yet. Programs can wait for runs without polling if you set one.</p>
            <Button size="small" icon="plus" blocked={reason} onClick={() => setEditing(true)}>
              Set webhook
            </Button>
          </div>
        )}
        {webhook && (
          <WebhookFacts webhook={webhook} reason={reason} onChange={onChange} onRemove={() => replace(null)} />
        )}
      </section>
      <Endpoints agent={agent} endpoints={endpoints} reason={reason} onSecret={setSecret} />
      <Deliveries
        agent={agent}
        endpoints={endpoints.data ?? []}
        noTest={reason ?? (webhook ? noTestOf(webhook) : "Set a webhook first.")}
      />
      {isEditing && (
        <SettingsDialog
          agentId={agent.id}
          webhook={webhook ?? undefined}
          onClose={() => setEditing(false)}
          onChange={onChange}
        />
      )}
      {secret !== undefined && <SecretReveal secret={secret} onClose={() => setSecret(undefined)} />}
    </div>
  );
}

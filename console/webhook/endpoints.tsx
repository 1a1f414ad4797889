import { useState } from "preact/hooks";
import type { Agent } from "../api/types.ts";
import type { Resource } from "../api/use-resource.ts";
import { useAction } from "../api/use-action.ts";
import { Button } from "../ui/fields/button.tsx";
import { Problem } from "../ui/problem.tsx";
import { toast } from "../ui/dialogs/toast.tsx";
import { SettingsDialog } from "./settings-dialog.tsx";
import { type ChangedReceiver, type Endpoint, testWebhook } from "./webhook-calls.ts";
import { WebhookFacts } from "./webhook-facts.tsx";

interface EndpointsProps {
  agent: Pick<Agent, "id">;
  endpoints: Resource<Endpoint[]>;
  /** Why nothing can be changed now. */
  reason: string | undefined;
  /** Called with a new secret, which is shown once. */
  onSecret: (secret: string) => void;
}

/** The receivers of an agent's messages besides the first. */
export function Endpoints({ agent, endpoints: { data, error, reload }, reason, onSecret }: EndpointsProps) {
  const [editing, setEditing] = useState<Endpoint | "new">();
  const { problem, run } = useAction();
  const again = (): void => void reload().catch(() => undefined);
  const onChange = ({ secret }: ChangedReceiver): void => {
    setEditing(undefined);
    again();
    if (secret !== null) onSecret(secret);
  };
  const test = async (id: string): Promise<void> => {
    await testWebhook(agent.id, id);
    toast("A test message is sent");
  };
  return (
    <section class="panel" aria-label="Further endpoints">
      <header class="panel-head">
        <h2>Further endpoints</h2>
        <span class="muted">Each has its own secret and events. Runs with their own URL are not reported to them</span>
        <Button size="small" icon="plus" blocked={reason} onClick={() => setEditing("new")}>
          Add endpoint
        </Button>
      </header>
      <Problem>{problem ?? error?.message}</Problem>
      {data?.map((endpoint) => (
        <section key={endpoint.id} aria-label={endpoint.id}>
          <header class="panel-head">
            <h3 class="mono">{endpoint.id}</h3>
            <Button size="small" blocked={reason} onClick={() => setEditing(endpoint)}>
              Edit…
            </Button>
            <Button
              size="small"
              icon="send"
              blocked={reason ?? (endpoint.enabled ? undefined : "The endpoint is disabled.")}
              onClick={() => void run(() => test(endpoint.id))}
            >
              Test
            </Button>
          </header>
          <WebhookFacts webhook={endpoint} reason={reason} onChange={onChange} onRemove={again} />
        </section>
      ))}
      {editing !== undefined && (
        <SettingsDialog
          agentId={agent.id}
          webhook={editing === "new" ? undefined : editing}
          isFurther
          onClose={() => setEditing(undefined)}
          onChange={onChange}
        />
      )}
    </section>
  );
}

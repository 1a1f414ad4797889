import { useState } from "preact/hooks";
import { useResource } from "../api/use-resource.ts";
import type { Agent } from "../api/types.ts";
import { blocked } from "../state/blocked.ts";
import { me } from "../api/session.ts";
import { useAction } from "../api/use-action.ts";
import { Button } from "../ui/fields/button.tsx";
import { Confirm } from "../ui/dialogs/confirm.tsx";
import { Loading } from "../ui/empty.tsx";
import { secretColumns } from "../ui/fields/expiry.tsx";
import { Problem } from "../ui/problem.tsx";
import { actionsHead, Rows } from "../ui/rows.tsx";
import { toast } from "../ui/dialogs/toast.tsx";
import { CallExample } from "../programs/call-example.tsx";
import { type CreatedKey, type Key, readKeys, setKeyEnabled } from "./agent-calls.ts";
import { CreateKeyDialog } from "./create-key-dialog.tsx";
import { KeyReveal } from "./key-reveal.tsx";

/** The keys with which programs call an agent. */
export function KeysTab({ agent }: { agent: Agent }) {
  const { data: keys, error, ...resource } = useResource(agent.id, () => readKeys(agent.id), 15_000);
  // A change is stored, whether the list can be read or not: it is read again later.
  const reload = (): void => void resource.reload().catch(() => undefined);
  const [isCreating, setCreating] = useState(false);
  // The key itself is in this state only, and gone when the dialog is closed.
  const [created, setCreated] = useState<CreatedKey>();
  const reason = agent.status === "deleted" ? "This agent is deleted." : blocked("create keys", agent.organization_id);
  const createButton = (
    <Button size="small" icon="plus" blocked={reason} onClick={() => setCreating(true)}>
      Create key
    </Button>
  );
  return (
    <div class="keys">
      <section class="panel scroll-x">
        <header class="panel-head">
          <h2>API keys</h2>
          <span class="muted">{reason ?? "Only a hash of each key is kept"}</span>
          {createButton}
        </header>
        <Problem>{error?.message}</Problem>
        {!keys && !error && <Loading rows={3} />}
        {keys?.length === 0 && (
          <div class="none">
            <p>No keys yet. Programs need one to call this agent.</p>
            {createButton}
          </div>
        )}
        {keys && keys.length > 0 && <KeyTable keys={keys} organizationId={agent.organization_id} reload={reload} />}
      </section>
      <div class="stack">
        <CallExample
          title="Start a run"
          call={{ serviceUrl: me.value?.service_url ?? undefined, agentId: agent.id, key: undefined }}
        />
        <p class="muted">A key works for this agent only.</p>
      </div>
      {isCreating && (
        <CreateKeyDialog
          agent={agent}
          onClose={() => setCreating(false)}
          onCreated={(key) => {
            setCreating(false);
            setCreated(key);
            reload();
          }}
        />
      )}
      {created && (
        <KeyReveal
          created={created}
          onClose={() => {
            setCreated(undefined);
            reload();
          }}
        />
      )}
    </div>
  );
}

interface KeyTableProps {
  keys: Key[];
  organizationId: string;
  reload: () => void;
}

function KeyTable({ keys, organizationId, reload }: KeyTableProps) {
  const [disabling, setDisabling] = useState<Key>();
  const reason = blocked("change keys", organizationId);
  const { problem, run } = useAction();
  const setEnabled = async (key: Key, isEnabled: boolean): Promise<void> => {
    await setKeyEnabled(key.id, isEnabled);
    toast(`${isEnabled ? "Enabled" : "Disabled"} ${nameOf(key)}`);
    reload();
  };
  return (
    <>
      <Problem>{problem}</Problem>
      <Rows
        rows={keys}
        keyOf={({ id }) => id}
        rowProps={({ enabled }) => ({ class: enabled ? "" : "off" })}
        columns={[
          {
            head: "Name",
            cell: (key) => (
              <>
                {key.name === null ? <span class="muted">no name</span> : <bdi>{key.name}</bdi>}
                {key.more_agent_ids.length > 0 && <div class="muted">also for {others(key)}</div>}
              </>
            ),
          },
          ...secretColumns,
          {
            head: "State",
            cell: ({ enabled }) => (enabled ? "enabled" : <span class="badge">disabled</span>),
          },
          {
            head: actionsHead,
            cellClass: "number",
            cell: (key) =>
              key.enabled ? (
                <Button size="small" kind="danger" blocked={reason} onClick={() => setDisabling(key)}>
                  Disable…
                </Button>
              ) : (
                <Button size="small" blocked={reason} onClick={() => void run(() => setEnabled(key, true))}>
                  Enable
                </Button>
              ),
          },
        ]}
      />
      {disabling && (
        <Confirm
          title={`Disable “${nameOf(disabling)}”?`}
          action="Disable"
          danger
          onClose={() => setDisabling(undefined)}
          onConfirm={() => setEnabled(disabling, false)}
        >
          Requests with it get 401 from now on
          {disabling.more_agent_ids.length > 0 && `, also those for ${others(disabling)}`}. Its runs continue. You can
          enable it again.
        </Confirm>
      )}
    </>
  );
}

/** The agents of a key besides the one whose page shows it. */
function others({ more_agent_ids: { length } }: Key): string {
  return length === 1 ? "another agent" : `${length} other agents`;
}

function nameOf({ name, hint }: Key): string {
  return name ?? `${hint}…`;
}

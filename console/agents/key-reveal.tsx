import { useState } from "preact/hooks";
import { useResource } from "../api/use-resource.ts";
import { me } from "../state/session.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Icon } from "../ui/icon.tsx";
import { type CreatedKey, readKeys } from "./agent-calls.ts";
import { CallExample } from "./call-example.tsx";

/** How often the dialog looks whether the key was used, in milliseconds. */
const lookMs = 2_000;

/** Shows a new key once, with a command that uses it. The key is in the memory of this dialog only. */
export function KeyReveal({ created, onClose }: { created: CreatedKey; onClose: () => void }) {
  const [isStored, setStored] = useState(false);
  const close = (): void => {
    if (isStored) onClose();
  };
  return (
    <Dialog
      title={created.name === null ? "Key created" : `Key “${created.name}” created`}
      class="key-reveal"
      onClose={close}
      footer={
        <>
          <label class="check">
            <input
              type="checkbox"
              checked={isStored}
              onChange={({ currentTarget }) => setStored(currentTarget.checked)}
            />
            I have stored the key
          </label>
          <Button
            kind={isStored ? "primary" : "plain"}
            blocked={isStored ? undefined : "Copy the key first, or confirm that you have stored it."}
            onClick={onClose}
          >
            Done
          </Button>
        </>
      }
    >
      <p class="note warn">
        <Icon name="warning" />
        <span>
          <strong>Copy it now.</strong> It is shown only once. Lost keys can’t be read back, only replaced.
        </span>
      </p>
      <div class="secret-box">
        <code>{created.key}</code>
        <CopyButton text={created.key} kind="primary" size="small" onCopied={() => setStored(true)}>
          Copy key
        </CopyButton>
      </div>
      <CallExample
        call={{ serviceUrl: me.value?.service_url ?? null, agentId: created.agent_id, key: created.key }}
        onCopied={() => setStored(true)}
      />
      <FirstUse created={created} />
    </Dialog>
  );
}

/** Waits for the first request with the key. */
function FirstUse({ created }: { created: CreatedKey }) {
  const { data: keys } = useResource(created.id, () => readKeys(created.agent_id), lookMs);
  const isUsed = keys?.find(({ id }) => id === created.id)?.last_used_at != null;
  return (
    <p class={isUsed ? "first-use used" : "first-use"} role="status">
      <Icon name={isUsed ? "finished" : "running"} class={isUsed ? "" : "spin"} />
      {isUsed ? "Used: the first call arrived." : "Waiting for the first call with this key…"}
    </p>
  );
}

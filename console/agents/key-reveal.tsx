import { useResource } from "../api/use-resource.ts";
import { me } from "../api/session.ts";
import { Icon } from "../ui/icon.tsx";
import { RevealOnce } from "../ui/fields/reveal-once.tsx";
import { type CreatedKey, readKeys } from "./agent-calls.ts";
import { CallExample } from "../programs/call-example.tsx";

/** How often the dialog looks whether the key was used, in milliseconds. */
const lookMs = 2_000;

/** Shows a new key once, with a command that uses it. The key is in the memory of this dialog only. */
export function KeyReveal({ created, onClose }: { created: CreatedKey; onClose: () => void }) {
  return (
    <RevealOnce
      title={created.name === null ? "Key created" : `Key “${created.name}” created`}
      noun="key"
      value={created.key}
      confirmation="I have stored the key"
      warning=". Lost keys can’t be read back, only replaced."
      onClose={onClose}
    >
      {(onCopied) => (
        <>
          <CallExample
            call={{ serviceUrl: me.value?.service_url ?? undefined, agentId: created.agent_id, key: created.key }}
            onCopied={onCopied}
          />
          <FirstUse created={created} />
        </>
      )}
    </RevealOnce>
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

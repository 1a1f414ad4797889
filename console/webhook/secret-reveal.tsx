import { useState } from "preact/hooks";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Icon } from "../ui/icon.tsx";

/** Shows a new secret once. It is in the memory of the tab only. */
export function SecretReveal({ secret, onClose }: { secret: string; onClose: () => void }) {
  const [isStored, setStored] = useState(false);
  return (
    <Dialog
      title="Secret created"
      class="key-reveal"
      onClose={() => {
        if (isStored) onClose();
      }}
      footer={
        <>
          <label class="check">
            <input
              type="checkbox"
              checked={isStored}
              onChange={({ currentTarget }) => setStored(currentTarget.checked)}
            />
            I have stored the secret
          </label>
          <Button
            kind={isStored ? "primary" : "plain"}
            blocked={isStored ? undefined : "Copy the secret first, or confirm that you have stored it."}
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
          <strong>Copy it now.</strong> It is shown only once. A lost secret can be rotated.
        </span>
      </p>
      <div class="secret-box">
        <code>{secret}</code>
        <CopyButton text={secret} kind="primary" onCopied={() => setStored(true)}>
          Copy secret
        </CopyButton>
      </div>
      <p class="muted">The receiver verifies the signature of each message with it (Standard Webhooks).</p>
    </Dialog>
  );
}

import { useState } from "preact/hooks";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Icon } from "../ui/icon.tsx";
import type { CreatedOperator } from "./settings-calls.ts";

/** Shows a new link once. Its token is in the memory of this dialog only. */
export function LinkReveal({ created, onClose }: { created: CreatedOperator; onClose: () => void }) {
  const [isStored, setStored] = useState(false);
  const link = `${location.origin}/console/#${created.token}`;
  return (
    <Dialog
      title={`Link for “${created.name}” created`}
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
            I have passed the link on
          </label>
          <Button
            kind={isStored ? "primary" : "plain"}
            blocked={isStored ? undefined : "Copy the link first, or confirm that you have passed it on."}
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
          <strong>Copy it now.</strong> It is shown only once, and everyone who opens it is signed in as {created.role}.
        </span>
      </p>
      <div class="secret-box">
        <code>{link}</code>
        <CopyButton text={link} kind="primary" onCopied={() => setStored(true)}>
          Copy link
        </CopyButton>
      </div>
      <p class="muted">Programs send the part after # as a bearer token to /manage/v1.</p>
    </Dialog>
  );
}

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Button } from "./button.tsx";
import { CopyButton } from "../copy-button.tsx";
import { Dialog } from "../dialogs/dialog.tsx";
import { Check } from "./field.tsx";
import { Warning } from "../problem.tsx";

interface RevealOnceProps {
  title: string;
  /** What is shown: “key”, “link” or “secret”. */
  noun: string;
  value: string;
  /** What the user confirms instead of copying. */
  confirmation: string;
  /** Continues the sentence “It is shown only once”, with its punctuation. */
  warning: string;
  /** Content below the value. `onCopied` is for buttons that copy the value as part of another text. */
  children: (onCopied: () => void) => ComponentChildren;
  onClose: () => void;
}

/** Shows a new credential once. It closes after the value was copied, or after the user's confirmation. */
export function RevealOnce({ title, noun, value, confirmation, warning, children, onClose }: RevealOnceProps) {
  const [isStored, setStored] = useState(false);
  const onCopied = (): void => setStored(true);
  return (
    <Dialog
      title={title}
      class="reveal-once"
      onClose={() => {
        if (isStored) onClose();
      }}
      footer={
        <>
          <Check checked={isStored} onChange={setStored}>
            {confirmation}
          </Check>
          <Button
            kind={isStored ? "primary" : "plain"}
            blocked={isStored ? undefined : `Copy the ${noun} first, or check “${confirmation}”.`}
            onClick={onClose}
          >
            Done
          </Button>
        </>
      }
    >
      <Warning>
        <strong>Copy it now.</strong> It is shown only once{warning}
      </Warning>
      <div class="secret-box">
        <code>{value}</code>
        <CopyButton text={value} kind="primary" onCopied={onCopied}>
          {`Copy ${noun}`}
        </CopyButton>
      </div>
      {children(onCopied)}
    </Dialog>
  );
}

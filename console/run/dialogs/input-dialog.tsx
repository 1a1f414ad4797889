import { useState } from "preact/hooks";
import { keyNames } from "../../state/keyboard.ts";
import { useAction } from "../../api/use-action.ts";
import { Button } from "../../ui/fields/button.tsx";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { TextField } from "../../ui/fields/field.tsx";

interface Props {
  /** A turn is in progress: the input is queued. */
  running: boolean;
  send: (text: string) => Promise<unknown>;
  onClose: () => void;
}

/** Sends the next input. Its text is kept until it was accepted. */
export function InputDialog({ running, send, onClose }: Props) {
  const [text, setText] = useState("");
  const { isBusy: busy, problem, run } = useAction();
  const [leaving, setLeaving] = useState(false);
  const empty = text.trim() === "";

  function submit(): void {
    if (!empty) void run(() => send(text).then(onClose), true);
  }

  const close = (): void => {
    if (empty || leaving) onClose();
    else setLeaving(true);
  };
  const footer = leaving ? (
    <>
      <span>Discard the text?</span>
      <Button onClick={() => setLeaving(false)}>Keep writing</Button>
      <Button kind="danger" onClick={onClose}>
        Discard
      </Button>
    </>
  ) : (
    <>
      <span class="muted">{running ? "A turn is in progress. This input starts the next one." : ""}</span>
      <Button onClick={close}>Cancel</Button>
      <Button
        kind="primary"
        icon="send"
        hint={keyNames("mod+Enter").join("")}
        blocked={empty ? "Write an input first." : undefined}
        disabled={busy}
        onClick={submit}
      >
        {busy ? "Sending…" : "Send input"}
      </Button>
    </>
  );

  return (
    <Dialog title="Send input" onClose={close} footer={footer}>
      <TextField
        name="Input"
        problem={problem}
        rows={8}
        autofocus
        value={text}
        onInput={(typed) => {
          setText(typed);
          setLeaving(false);
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) submit();
        }}
      />
    </Dialog>
  );
}

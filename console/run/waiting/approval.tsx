import { useState } from "preact/hooks";
import { Button } from "../../ui/fields/button.tsx";
import { CardNotes, Consequence, type ControlsProps } from "./card-parts.tsx";

/** Allow, or deny with an optional reason. */
export function Approval({ call, answering, reason, isPrimary }: ControlsProps & { isPrimary: boolean }) {
  const [why, setWhy] = useState("");
  const { sending, send } = answering;
  const text = why.trim();
  return (
    <>
      <Consequence call={call} />
      <footer>
        <Button
          {...(isPrimary && { kind: "primary" })}
          icon="check"
          hint="A"
          data-answer="allow"
          blocked={reason}
          disabled={sending !== undefined}
          onClick={() => void send({ decision: "allow" })}
        >
          {sending?.decision === "allow" ? "Allowing…" : "Allow"}
        </Button>
        <Button
          kind="danger"
          icon="close"
          hint="D"
          data-answer="deny"
          blocked={reason}
          disabled={sending !== undefined}
          onClick={() => void send({ decision: "deny", ...(text && { reason: text }) })}
        >
          {sending?.decision === "deny" ? "Denying…" : "Deny"}
        </Button>
        <input
          class="input"
          aria-label="Reason"
          placeholder="Reason, the model reads it (for Deny)"
          maxLength={10_000}
          autocomplete="off"
          value={why}
          disabled={reason !== undefined || sending !== undefined}
          onInput={({ currentTarget }) => setWhy(currentTarget.value)}
        />
        <CardNotes answering={answering} reason={reason} />
      </footer>
    </>
  );
}

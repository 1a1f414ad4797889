import { useState } from "preact/hooks";
import { Button } from "../../ui/fields/button.tsx";
import { Segments } from "../../ui/fields/segments.tsx";
import { CardNotes, Consequence, type ControlsProps } from "./card-parts.tsx";

const kinds = [
  ["output", "Output"],
  ["error", "Error"],
] as const;

/** A call that a program answers. An operator can do it by hand. */
export function ClientTool({ call, answering, reason }: ControlsProps) {
  const [kind, setKind] = useState<"output" | "error">("output");
  const [text, setText] = useState("");
  const { sending, send } = answering;
  const isClosed = reason !== undefined || sending !== undefined;
  return (
    <>
      <Consequence call={call} />
      <details>
        <summary>Answer by hand…</summary>
        <form
          class="answer"
          onSubmit={(event) => {
            event.preventDefault();
            if (!isClosed) void send(kind === "output" ? { output: text } : { error: text });
          }}
        >
          <Segments label="Answer with" options={kinds} value={kind} onChange={setKind} />
          <textarea
            class="input mono"
            rows={3}
            aria-label={kind === "output" ? "Output, for the model" : "Why there is no output, for the model"}
            placeholder={kind === "output" ? "Output, for the model" : "Why there is no output, for the model"}
            maxLength={1_000_000}
            value={text}
            disabled={isClosed}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
          <Button
            type="submit"
            icon="send"
            blocked={reason}
            disabled={sending !== undefined || (kind === "error" && text.trim() === "")}
          >
            {sending ? "Sending…" : "Send"}
          </Button>
          <CardNotes answering={answering} reason={reason} />
        </form>
      </details>
    </>
  );
}

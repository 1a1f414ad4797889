import { useState } from "preact/hooks";
import { Button } from "../../ui/fields/button.tsx";
import { parseObject } from "../model/telling-argument.ts";
import { visible } from "../text/visible.ts";
import { AskArguments } from "./ask-arguments.tsx";
import { CardNotes, Consequence, type ControlsProps } from "./card-parts.tsx";

/** A question of the model: a choice, or an answer in the person's own words. */
export function Question({ call, answering, reason }: ControlsProps) {
  const [chosen, setChosen] = useState<string>();
  const [typed, setTyped] = useState("");
  const { sending, send } = answering;
  const { question, choices } = parseObject(call.arguments) ?? {};
  const offered = Array.isArray(choices) ? choices.filter((choice) => typeof choice === "string") : [];
  const output = typed.trim() === "" ? chosen : typed.trim();
  const isClosed = reason !== undefined || sending !== undefined;
  return (
    <>
      {typeof question === "string" ? (
        <p class="reading">
          <bdi dir="auto">{visible(question)}</bdi>
        </p>
      ) : (
        <AskArguments text={call.arguments} />
      )}
      {offered.length > 0 && (
        <div class="choices" role="group" aria-label="Suggested answers">
          {offered.map((choice, index) => (
            <button
              key={index}
              type="button"
              aria-pressed={typed.trim() === "" && choice === chosen}
              disabled={isClosed}
              title={reason}
              onClick={() => {
                setChosen(choice);
                setTyped("");
              }}
            >
              <bdi dir="auto">{visible(choice)}</bdi>
            </button>
          ))}
        </div>
      )}
      <Consequence call={call} />
      <form
        class="answer"
        onSubmit={(event) => {
          event.preventDefault();
          if (output !== undefined && !isClosed) void send({ output });
        }}
      >
        <input
          class="input"
          aria-label="Answer"
          placeholder={offered.length > 0 ? "Or answer in your own words" : "Answer"}
          autocomplete="off"
          value={typed}
          disabled={isClosed}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        <Button type="submit" icon="send" blocked={reason} disabled={sending !== undefined || output === undefined}>
          {sending ? "Sending…" : "Send answer"}
        </Button>
        <CardNotes answering={answering} reason={reason} />
      </form>
    </>
  );
}

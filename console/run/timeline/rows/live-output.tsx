import type { Step } from "../../model/run-model-types.ts";
import { visible } from "../../text/visible.ts";

const shownLines = 3;

/** The last lines that the programs of a step have printed so far. Assistive technologies do not announce growing text. */
export function LiveOutput({ step }: { step: Step }) {
  return (
    <>
      {step.calls.map(({ index, result, printed }) =>
        result || !printed ? null : (
          <pre key={index} class="run-printed cut" aria-hidden="true">
            {lastLines(visible(printed.text))}
          </pre>
        ),
      )}
    </>
  );
}

function lastLines(text: string): string {
  return text.replace(/\n$/, "").split("\n").slice(-shownLines).join("\n");
}

import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { formatDuration } from "../../../format.ts";
import { Icon } from "../../../ui/icon.tsx";
import type { Step } from "../../model/run-model-types.ts";
import { isUnfolded, toggled } from "../../text/unfolded.ts";
import { visible } from "../../text/visible.ts";
import { thoughtText } from "../../text/words.ts";
import type { RunView } from "../../view.ts";

/** The model's reasoning before its answer. Folded, unless the reader opens it or finds something in it. */
export function Thinking({ step, view }: { step: Step; view: RunView }) {
  void view.version.value;
  const { reasoning, reasoningMs } = step;
  const begun = step.answered || step.text.length > 0;
  const label = useMemo(() => thoughtText(step, formatDuration), [reasoning?.text, reasoningMs, begun]);
  if (!reasoning) return null;
  const open = isUnfolded(view.unfolded.value, step, view.find.value);
  const id = `thinking-${step.turn}.${step.step}`;
  return (
    <div class="run-thinking">
      <button
        type="button"
        tabIndex={view.selected.value?.step === step ? 0 : -1}
        aria-expanded={open}
        aria-controls={id}
        onClick={(event) => {
          event.stopPropagation(); // the row would select its step
          view.unfolded.value = toggled(view.unfolded.value, step, !open);
        }}
      >
        <Icon name={open ? "down" : "right"} />
        {label}
      </button>
      {open && (
        <div id={id} class="run-thought">
          {paragraphs(visible(reasoning.text))}
          {reasoning.text.length < reasoning.length && <p class="muted">… The inspector shows all of it.</p>}
        </div>
      )}
    </div>
  );
}

function paragraphs(text: string): ComponentChildren {
  return text.split(/\n{2,}/).map((paragraph, index) => (
    <p key={index}>
      <bdi dir="auto">{paragraph}</bdi>
    </p>
  ));
}

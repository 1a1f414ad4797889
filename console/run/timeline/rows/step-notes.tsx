import { toolNotesIn } from "../../../../src/agent/turn/tool-notes.ts";
import { Icon } from "../../../ui/icon.tsx";
import type { Step } from "../../model/run-model-types.ts";
import { visibleLine } from "../../text/visible.ts";

/** Notes about the request of a step: tools that are missing or run in another environment, and the use of the fallback. */
export function StepNotes({ step: { note, fallback } }: { step: Step }) {
  const reasons = toolNotesIn(note);
  if (fallback) reasons.push(fallbackText(fallback));
  return (
    <>
      {reasons.map((reason) => (
        <p class="run-missing">
          <Icon name="info" />
          <bdi>{visibleLine(reason, 600)}</bdi>
        </p>
      ))}
    </>
  );
}

/** "The fallback qwen3 (backup) was asked: The model server … answered 503." */
function fallbackText({ model, configuration, title }: NonNullable<Step["fallback"]>): string {
  const name = [model ?? "", configuration === null ? "" : `(${configuration})`].filter(Boolean).join(" ");
  return `The fallback ${name} was asked: ${title}`;
}

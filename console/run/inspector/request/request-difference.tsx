import { loadLater } from "../../../ui/load-later.tsx";
import type { RunApi } from "../../api.ts";
import type { Step } from "../../model/run-model-types.ts";
import { formatPlace, placeName } from "../../selection.ts";
import type { RunView } from "../../view.ts";
import { AskedSection } from "../asked-section.tsx";

const Difference = loadLater(() => import("../difference.tsx").then((module) => module.Difference));

interface Props {
  step: Step;
  view: RunView;
  api: RunApi;
}

/** What the model was sent, and what of it is new since the model call before. Loaded when the reader asks. */
export function RequestDifference({ step, view, api }: Props) {
  const previous = view.model.steps.slice(0, step.index).findLast(({ answered }) => answered);
  const name = previous && placeName(view.model, previous);
  const load = async () => {
    const [request, before] = await Promise.all([
      api.request(formatPlace(step)),
      previous && api.request(formatPlace(previous)),
    ]);
    return { request, before };
  };
  return (
    <AskedSection
      title={previous ? "Difference to the call before" : "What the model was sent"}
      ask={name === undefined ? "Show request" : `Compare with ${lower(name)}`}
      load={load}
    >
      {({ request, before }) => (
        <Difference
          request={request}
          before={before}
          name={name && lower(name)}
          counted={step.estimated ? undefined : step.usage?.input_tokens}
        />
      )}
    </AskedSection>
  );
}

function lower(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

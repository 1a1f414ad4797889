import { useState } from "preact/hooks";
import { loadLater } from "../../ui/load-later.tsx";
import type { ModelRequest, RunApi } from "../api.ts";
import type { Step } from "../model/types.ts";
import { formatPlace, placeName } from "../selection.ts";
import type { RunView } from "../view.ts";

const Difference = loadLater(() => import("./difference.tsx").then((module) => module.Difference));

type State =
  | { kind: "closed" }
  | { kind: "loading" }
  | { kind: "error"; message: string }
  | { kind: "loaded"; request: ModelRequest; before: ModelRequest | undefined };

interface Props {
  step: Step;
  view: RunView;
  api: RunApi;
}

/** What the model was sent, and what of it is new since the model call before. Loaded when the reader asks. */
export function RequestDifference({ step, view, api }: Props) {
  const [state, setState] = useState<State>({ kind: "closed" });
  const previous = view.model.steps.slice(0, step.index).findLast(({ answered }) => answered);

  async function load(): Promise<void> {
    setState({ kind: "loading" });
    try {
      const [request, before] = await Promise.all([
        api.request(formatPlace(step)),
        previous && api.request(formatPlace(previous)),
      ]);
      setState({ kind: "loaded", request, before });
    } catch (error) {
      setState({ kind: "error", message: error instanceof Error ? error.message : String(error) });
    }
  }

  return (
    <section class="run-section">
      <div class="run-section-head">
        <h3>{previous ? "Difference to the call before" : "What the model was sent"}</h3>
      </div>
      {state.kind === "loaded" ? (
        <Difference
          request={state.request}
          before={state.before}
          name={previous && placeName(view.model, previous)}
          counted={step.estimated ? undefined : step.usage?.input_tokens}
        />
      ) : (
        <p>
          <button type="button" class="button small" disabled={state.kind === "loading"} onClick={() => void load()}>
            {state.kind === "loading"
              ? "Loading…"
              : previous
                ? `Compare with ${lower(placeName(view.model, previous))}`
                : "Show request"}
          </button>
        </p>
      )}
      {state.kind === "error" && (
        <p class="run-load-error" role="alert">
          {state.message}
        </p>
      )}
    </section>
  );
}

function lower(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

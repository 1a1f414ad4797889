import { waitsForSlot } from "../../../run-words.ts";
import { loadLater } from "../../../ui/load-later.tsx";
import { withStyle } from "../../../ui/load-style.ts";
import type { RunDetail } from "../../api.ts";
import type { RunStore } from "../../run-store.ts";
import { laterModule } from "../../text/later-module.ts";
import { Note } from "./other-rows.tsx";
import { StepRow } from "./step-row.tsx";

const OpenCalls = loadLater(() => withStyle(import("../../waiting/open-calls.tsx")).then((module) => module.OpenCalls));

const useStepInProgress = laterModule(() => import("./step-in-progress.ts"));

interface Props {
  store: RunStore;
  detail: RunDetail;
  /** The reader has nothing but this run. */
  readOnly: boolean;
  /** Whether the end of the run is shown: not if a filter hides steps. */
  shown: boolean;
  /** The filter lets no row pass. */
  empty: boolean;
}

/** Below the rows: what happens now, or how the run ended. */
export function Tail({ store, detail, readOnly, shown, empty }: Props) {
  if (!store.loaded.value) return <p class="run-empty">Loading the steps…</p>;
  if (detail.state === "waiting") return <OpenCalls store={store} detail={detail} readOnly={readOnly} />;
  if (!shown) return empty ? <p class="run-empty">No step matches. Clear filters.</p> : null;
  switch (detail.state) {
    case "running":
      return <Live store={store} detail={detail} />;
    case "waiting_for_slot":
      return (
        <Note icon="wait" kind="limit">
          {waitsForSlot}
        </Note>
      );
    case "waiting_for_input":
      return empty ? <p class="run-empty">The run waits for its first input. Send input starts it.</p> : null;
    case "technical_error":
      return (
        <Note icon="warning" kind="bad">
          <strong>Technical error:</strong> {detail.failure?.category ?? "not recorded"}. The message is above.
        </Note>
      );
    case "terminated":
      return (
        <Note icon="terminated" kind="stopped">
          <strong>Stopped.</strong> The step in progress was dropped.
        </Note>
      );
    case "finished":
      return null;
  }
}

/** The step in progress while nothing of it is recorded, in the row that it will have. */
function Live({ store, detail }: Pick<Props, "store" | "detail">) {
  void store.version.value;
  const step = useStepInProgress(true)?.stepInProgress(store, detail.activity);
  return step ? (
    <div class="run-row step live">
      <StepRow step={step} view={store} />
    </div>
  ) : null;
}

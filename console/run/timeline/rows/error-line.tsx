import { formatNumber } from "../../../format.ts";
import { errorLine } from "../../model/error-line.ts";
import type { Call } from "../../model/run-model-types.ts";
import { useFullText } from "../../text/use-full-text.ts";
import { visibleLine } from "../../text/visible.ts";
import type { RunView } from "../../view.ts";

/** Why a call failed, in a line or two. The end of a long result is loaded for it. */
export function ErrorLine({ call, view }: { call: Call; view: RunView }) {
  const loaded = call.result ?? { text: "", length: 0 };
  const shown = useFullText(view.texts, { loaded, sequence: call.sequence, path: "text" });
  const line = shown.complete
    ? visibleLine(errorLine(call.name, shown.text))
    : `failed, with a result of ${formatNumber(shown.length)} characters`;
  return (
    <p class="run-error mono">
      <bdi>{line}</bdi>
    </p>
  );
}

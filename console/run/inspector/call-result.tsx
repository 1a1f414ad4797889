import { formatNumber } from "../../format.ts";
import { Code } from "../../ui/code.tsx";
import { Icon } from "../../ui/icon.tsx";
import type { Call } from "../model/run-model-types.ts";
import { useFullText } from "../text/use-full-text.ts";
import { visible, visibleLine } from "../text/visible.ts";
import type { RunView } from "../view.ts";
import { FormatSegments, TextView, useTextFormat } from "./text-view.tsx";

/** The result of a call as the model sees it. */
export function CallResult({ call, view }: { call: Call; view: RunView }) {
  void view.version.value;
  const loaded = call.result ?? { text: "", length: 0 };
  const shown = useFullText(view.texts, { loaded, sequence: call.sequence, path: "text" });
  const [format, setFormat] = useTextFormat();
  return (
    <section class="run-section">
      <div class="run-section-head">
        <h3>Result</h3>
        {call.result && <ResultBadge failed={call.failed} />}
        {call.result && <FormatSegments label="Show result as" value={format} onChange={setFormat} />}
      </div>
      {call.result ? (
        <TextView shown={shown} format={format} prose={call.failed} />
      ) : call.printed && view.running.value ? (
        <Printed text={call.printed.text} length={call.printed.length} />
      ) : (
        <p class="muted">{missing(call, view)}</p>
      )}
      {call.attachments.length > 0 && (
        <p class="run-attachments">
          Attached for the model: <bdi>{call.attachments.map(({ name }) => visibleLine(name, 80)).join(", ")}</bdi>
        </p>
      )}
    </section>
  );
}

/** Why a call has no result. */
function missing({ asked }: Call, { running, waiting }: RunView): string {
  if (waiting.value && asked)
    return asked.answer ? "The turn waits for other answers." : "The call waits for an answer.";
  return running.value ? "The call is running." : "The call did not finish.";
}

/** What the call has printed so far: the end of it. */
function Printed({ text, length }: { text: string; length: number }) {
  const all = text.length === length ? "" : `, the last ${formatNumber(text.length)}`;
  return (
    <div class="run-printing">
      <Code title={`${formatNumber(length)} characters so far${all}`} text={visible(text)} copied={text} />
    </div>
  );
}

function ResultBadge({ failed }: { failed: boolean }) {
  return (
    <span class={`badge ${failed ? "bad" : "ok"}`}>
      <Icon name={failed ? "warning" : "finished"} /> {failed ? "failed" : "ok"}
    </span>
  );
}

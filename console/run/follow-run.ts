import { batch } from "@preact/signals";
import type { CallOutput, RunEvent } from "../api/types.ts";
import type { RunDetail, RunReader } from "./api.ts";
import type { RunStore } from "./run-store.ts";
import { addWritten, completeText, type Written } from "./written.ts";

/** How long the text of an interrupted answer stays after the connection is back, unless it continues. Milliseconds. */
const staleDelay = 100;

interface Callbacks {
  /** An event that just happened. */
  event: (event: RunEvent) => void;
  /** Adds to the model. */
  add: (events: RunEvent[], printed: CallOutput[]) => void;
}

/** Draws what is new of a run until the signal aborts. Rejects when a retry does not help. */
export function followRun(
  store: Pick<RunStore, "model" | "detail" | "now" | "written" | "growing" | "grown">,
  api: RunReader,
  { event: happened, add }: Callbacks,
  signal: AbortSignal,
): Promise<void> {
  let waiting: RunEvent[] = [];
  let printed: CallOutput[] = [];
  let written: Written | undefined;
  let replaced: Written | undefined;
  let opened = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  // What arrives together is drawn together, and output after the answer that asked for its call.
  const draw = (detail?: RunDetail): void => {
    clearTimeout(timer);
    timer = undefined;
    batch(() => {
      store.written.value = written;
      add(waiting, printed);
      if (replaced) keep(store, replaced);
      if (detail) store.detail.value = detail;
    });
    waiting = [];
    printed = [];
    replaced = undefined;
  };
  const drawSoon = (): void => {
    // A long text is read as Markdown again with each part: 20 ms at 60 KB.
    timer ??= setTimeout(draw, Math.min(150, 30 + (written?.text?.text.length ?? 0) / 500));
  };
  return api.stream(
    store.model.sequence,
    {
      // With the events before it: otherwise a text would be gone before the answer that replaces it is shown.
      run(detail) {
        draw(detail);
        if (!opened) return;
        opened = false;
        // An answer in progress follows at once. A process that died left one that nobody continues.
        const before = written;
        const drop = (): void => {
          if (written !== before) return;
          written = undefined;
          drawSoon();
        };
        if (before) setTimeout(drop, staleDelay);
      },
      opened() {
        opened = true;
      },
      event(event) {
        happened(event);
        waiting.push(event);
        // What a step records ends its text. The next text can be here before this is drawn.
        if (written && "step" in event && (event.turn > written.turn || event.step >= written.step)) {
          if (event.type === "model_call" && event.step === written.step) replaced = written;
          written = undefined;
        }
        drawSoon();
      },
      output(output) {
        printed.push(output);
        drawSoon();
      },
      delta(delta) {
        const isFirst = written?.thinking && !written.text && store.written.peek()?.thinking;
        written = { ...addWritten(written, "text", delta), ...(isFirst && { thoughtUntil: store.now.peek() }) };
        drawSoon();
      },
      thinking(delta) {
        written = addWritten(written, "thinking", delta);
        drawSoon();
      },
    },
    signal,
  );
}

/** Keeps a text that has grown on screen as it is: its answer has been recorded. */
function keep({ model, growing, grown }: Pick<RunStore, "model" | "growing" | "grown">, written: Written): void {
  const { turn, step } = written;
  const recorded = model.step(turn, step);
  completeText(recorded?.text, written.text);
  completeText(recorded?.reasoning, written.thinking);
  completeText(model.turns.at(-1)?.output?.text, written.text);
  if (growing === `${turn}.${step}`) grown.value = new Map(grown.peek()).set(growing, written);
}

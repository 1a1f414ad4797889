import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { formatDuration } from "../../format.ts";
import type { RunDetail } from "../api.ts";
import type { RunStore } from "../run-store.ts";
import { visible } from "../text/visible.ts";
import { blocksOf, JoinedText } from "./joined-text.ts";

interface Props {
  store: RunStore;
  /** What the run does: a model writes the answer of this step. */
  activity: NonNullable<RunDetail["activity"]>;
}

/**
 * The text of an answer while a model writes it, where the row of its step will be. Assistive technologies do not announce
 * growing text.
 */
export function GrowingText({ store, activity }: Props) {
  const joined = useRef(new JoinedText());
  const row = useRef<HTMLDivElement>(null);
  const { from, text } = joined.current.of(store.written.value);
  useEndInView(row, store);
  return (
    <div class="run-growing" aria-hidden="true" ref={row}>
      <StepInProgress store={store} activity={activity} />
      <div class="run-growing-text">
        {blocksOf(from > 0 ? `…${text}` : text).map((block, index) => (
          <Block key={index} text={block} />
        ))}
      </div>
    </div>
  );
}

/** Lines that are complete are drawn and laid out once, however long the text is. */
function Block({ text }: { text: string }) {
  const shown = useMemo(() => visible(text), [text]);
  return <div>{shown}</div>;
}

/** Number and time of the step. Nothing if the step has a row, because an attempt failed. */
function StepInProgress({ store, activity }: Props) {
  const { turn, step, since } = activity;
  if (store.model.step(turn, step)) return null;
  return (
    <>
      <span class="run-number">{store.model.turns.length > 1 ? `${turn}.${step}` : step}</span>
      <span class="run-lane" />
      <span class="run-took">{formatDuration(Math.max(0, store.now.value - Date.parse(since)))}</span>
    </>
  );
}

/** Keeps the end in view while the reader follows the run, also between the renderings of the timeline. */
function useEndInView(row: { current: HTMLElement | null }, { follow }: RunStore): void {
  const end = useRef<number>(undefined);
  useLayoutEffect(() => {
    const scroller = row.current?.closest(".run-scroller");
    if (!scroller) return;
    // A reader who has begun to scroll is not pulled back.
    const stays = end.current === undefined || scroller.scrollTop >= end.current - 1;
    if (follow.peek() && stays) scroller.scrollTop = scroller.scrollHeight;
    end.current = scroller.scrollHeight - scroller.clientHeight;
  });
}

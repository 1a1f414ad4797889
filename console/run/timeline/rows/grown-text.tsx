import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { longestMarkdown } from "../../text/markdown-reader.ts";
import { MarkdownText } from "../../text/markdown-text.tsx";
import type { Step } from "../../model/run-model-types.ts";
import { formatPlace } from "../../selection.ts";
import { useFullText } from "../../text/use-full-text.ts";
import { visible } from "../../text/visible.ts";
import type { RunView } from "../../view.ts";
import { loadedPart } from "./step-in-progress.ts";
import { blocksOf } from "./text-blocks.ts";

/**
 * The text of an answer while a model writes it, and as it was written afterwards: nothing moves when it is recorded. Assistive
 * technologies do not announce it.
 */
export function GrownText({ step, view }: { step: Step; view: RunView }) {
  void view.version.value; // a recorded text is completed in place
  const place = formatPlace(step);
  const grows = !step.answered;
  const kept = view.grown.value.get(place)?.text;
  const shown = useFullText(view.texts, { loaded: step.text, sequence: step.sequence, path: "text" });
  const text = grows ? withoutMark(shown.text) : shown.complete ? shown.text : loadedPart(kept).text;
  const element = useRef<HTMLDivElement>(null);
  useCaret(element, grows);
  useEndInView(element, view, grows);
  useLayoutEffect(() => {
    if (!grows) return;
    view.growing = place;
    return () => void (view.growing = undefined);
  }, [view, grows, place]);
  return (
    <div class="run-grown" ref={element}>
      {text.length > longestMarkdown ? (
        blocksOf(text).map((block, index) => <Block key={index} text={block} />)
      ) : (
        <MarkdownText text={text} />
      )}
    </div>
  );
}

/** Lines that are complete are drawn and laid out once, however long the text is. */
function Block({ text }: { text: string }) {
  const shown = useMemo(() => visible(text), [text]);
  return <div class="run-markdown plain">{shown}</div>;
}

/** Without marks at its end, which make something else of the line before: `-` below a line makes a heading of it. */
function withoutMark(text: string): string {
  return text.replace(/\n[ \t]*[-=*_+#>`~|.)\d]{0,9}[ \t]*$/, "");
}

/** Marks the element at the end of the text, which has a caret. */
function useCaret(text: { current: HTMLElement | null }, grows: boolean): void {
  useLayoutEffect(() => {
    let last = grows ? text.current : null;
    while (last?.lastElementChild && last.lastElementChild === last.lastChild)
      last = last.lastElementChild as HTMLElement;
    last?.classList.add("caret");
    return () => last?.classList.remove("caret");
  });
}

/** Keeps the end in view while the reader follows the run, also between the renderings of the timeline. */
function useEndInView(text: { current: HTMLElement | null }, { follow }: RunView, grows: boolean): void {
  const end = useRef<number>(undefined);
  useLayoutEffect(() => {
    const scroller = grows ? text.current?.closest(".run-scroller") : undefined;
    if (!scroller) return;
    // A reader who has begun to scroll is not pulled back.
    const stays = end.current === undefined || scroller.scrollTop >= end.current - 1;
    if (follow.peek() && stays) scroller.scrollTop = scroller.scrollHeight;
    end.current = scroller.scrollHeight - scroller.clientHeight;
  });
}

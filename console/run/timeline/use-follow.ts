import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { RunView } from "../view.ts";

/** A scroll event this soon after a gesture is the reader's. Milliseconds. */
const gestureTime = 600;

/** Pixels from the end that count as the end. */
const nearEnd = 24;

/** Keeps the scroller at its end while the run continues, and at its open calls while it waits. Scrolling up ends that, scrolling to the end begins it again. */
export function useFollow(
  scroller: { current: HTMLElement | null },
  list: { scrollToEnd(): void },
  view: RunView,
): void {
  const gestureAt = useRef(-Infinity);
  const worked = useRef<RunView>(undefined);
  const end = useRef(-1);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (view.running.value) worked.current = view; // the output of its last turn comes after that
    if (!element || !view.follow.value || view.waiting.value || worked.current !== view) return;
    const height = element.scrollHeight - element.clientHeight;
    if (height !== end.current) list.scrollToEnd();
    end.current = height;
  });
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const gestures = ["wheel", "touchmove", "pointerdown", "keydown"] as const;
    const onGesture = (): void => {
      gestureAt.current = performance.now();
    };
    const onScroll = (): void => {
      if (performance.now() - gestureAt.current > gestureTime) return;
      const left = element.scrollHeight - element.scrollTop - element.clientHeight;
      view.follow.value = left < nearEnd;
    };
    for (const name of gestures) element.addEventListener(name, onGesture, { passive: true });
    // Before the list, which renders and would go back to the end.
    element.addEventListener("scroll", onScroll, { passive: true, capture: true });
    return () => {
      for (const name of gestures) element.removeEventListener(name, onGesture);
      element.removeEventListener("scroll", onScroll, { capture: true });
    };
  }, [view]);
}

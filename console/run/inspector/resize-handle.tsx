import { useEffect, useRef, useState } from "preact/hooks";

const storageKey = "agent-run-service.inspector-width";
const narrowest = 400;
const usual = 556;
const keyStep = 20;

/** Widest inspector: half of the window. */
function widest(): number {
  return Math.max(narrowest, Math.floor(innerWidth / 2));
}

/** The edge between timeline and inspector. Can be dragged, and moved with the arrow keys. */
export function ResizeHandle() {
  const element = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(() => Number(localStorage.getItem(storageKey)) || usual);
  const shown = Math.min(widest(), Math.max(narrowest, width));
  useEffect(() => {
    element.current?.closest<HTMLElement>(".run-panels")?.style.setProperty("--inspector", `${shown}px`);
  }, [shown]);
  /** Only what the operator chose is stored: a small window narrows the inspector for this visit. */
  const resize = (chosen: number): void => {
    const next = Math.min(widest(), Math.max(narrowest, chosen));
    setWidth(next);
    localStorage.setItem(storageKey, String(next));
  };

  return (
    <div
      ref={element}
      class="run-resize"
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of the inspector"
      aria-valuemin={narrowest}
      aria-valuemax={widest()}
      aria-valuenow={shown}
      tabIndex={0}
      onPointerDown={(event) => element.current?.setPointerCapture(event.pointerId)}
      onPointerMove={(event) => {
        if (element.current?.hasPointerCapture(event.pointerId)) resize(innerWidth - event.clientX);
      }}
      onDblClick={() => resize(usual)}
      onKeyDown={(event) => {
        const by = { ArrowLeft: keyStep, ArrowRight: -keyStep }[event.key];
        if (by === undefined) return;
        event.preventDefault();
        resize(shown + by);
      }}
    />
  );
}

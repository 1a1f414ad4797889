import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualizerOptions,
} from "@tanstack/virtual-core";
import { useLayoutEffect, useReducer, useState } from "preact/hooks";

type Options = VirtualizerOptions<HTMLElement, HTMLElement>;

/** What a list of rows with measured heights needs. */
type ListOptions = Pick<Options, "count" | "getScrollElement" | "estimateSize" | "getItemKey" | "overscan"> &
  Partial<Options>;

/** A virtualizer that renders its component again when the rows on screen change. */
export function useVirtual(given: ListOptions): Virtualizer<HTMLElement, HTMLElement> {
  const [, render] = useReducer((count: number) => count + 1, 0);
  const options: Options = {
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    ...given,
    onChange: () => render(undefined),
  };
  const [virtualizer] = useState(() => new Virtualizer(options));
  virtualizer.setOptions(options);
  // What the framework adapters of TanStack Virtual do.
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => virtualizer._willUpdate());
  return virtualizer;
}

import { useLocation } from "preact-iso/router";
import { useState } from "preact/hooks";
import { useShortcuts } from "./keyboard.ts";

/** Attributes of a table row that takes keys. */
interface RowAttributes {
  tabIndex: number;
  ref: (element: HTMLTableRowElement | null) => void;
  onFocus: () => void;
  onClick: (event: MouseEvent) => void;
  onKeyDown: (event: KeyboardEvent) => void;
}

/**
 * Rows with one tab stop: `j` and `k` or the arrow keys move the focus, Enter or a click opens the row's `url`. `group`: see
 * `useShortcuts`.
 */
export function useRows(
  group: string,
  count: number,
  url: (index: number) => string,
): (index: number) => RowAttributes {
  const { route } = useLocation();
  const [current, setCurrent] = useState(0);
  const [elements] = useState(() => new Map<number, HTMLTableRowElement>());
  const isInside = (): boolean => [...elements.values()].some((element) => element === document.activeElement);
  const move = (step: number): void => {
    const next = isInside() ? current + step : current;
    elements.get(Math.max(0, Math.min(count - 1, next)))?.focus();
  };
  useShortcuts(group, [
    { keys: "j", label: "Next row", run: () => move(1) },
    { keys: "k", label: "Previous row", run: () => move(-1) },
  ]);
  return (index) => ({
    tabIndex: index === Math.min(current, count - 1) ? 0 : -1,
    ref: (element) => {
      if (element) elements.set(index, element);
      else elements.delete(index);
    },
    onFocus: () => setCurrent(index),
    onClick: ({ target, ctrlKey, metaKey }) => {
      const isOther = ctrlKey || metaKey || (target as Element).closest("a, button, input");
      if (!isOther && getSelection()?.isCollapsed !== false) route(url(index));
    },
    onKeyDown: (event) => {
      if (event.target !== event.currentTarget) return;
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        event.preventDefault();
        move(event.key === "ArrowDown" ? 1 : -1);
      } else if (event.key === "Enter") {
        event.preventDefault();
        route(url(index));
      }
    },
  });
}

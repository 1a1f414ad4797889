import type { ComponentChildren } from "preact";
import { useId, useRef } from "preact/hooks";

interface MenuProps {
  /** Content of the button that opens the menu. */
  label: ComponentChildren;
  /** Classes of the button. */
  class?: string;
  /** The button's name, if its content does not say it. */
  name?: string;
  /** Where the menu opens: along the left or the right edge of the button. */
  align?: "start" | "end";
  /** Buttons and links. A click closes the menu. */
  children: ComponentChildren;
}

/** A button with a menu below it. Arrow keys move in the menu; Escape closes it. */
export function Menu({ label, class: classes = "button", name, align = "start", children }: MenuProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);

  function place(): void {
    const box = button.current?.getBoundingClientRect();
    if (!box || !menu.current) return;
    const { style, offsetWidth, offsetHeight } = menu.current;
    const left = align === "end" ? box.right - offsetWidth : box.left;
    const below = box.bottom + 4;
    const top = below + offsetHeight > innerHeight && box.top > offsetHeight ? box.top - offsetHeight - 4 : below;
    style.left = `${scrollX + Math.max(8, Math.min(left, innerWidth - offsetWidth - 8))}px`;
    style.top = `${scrollY + top}px`;
    items(menu.current)[0]?.focus();
  }

  function move(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || !menu.current) return;
    event.preventDefault();
    const all = items(menu.current);
    all.at((all.indexOf(document.activeElement as HTMLElement) + step) % all.length)?.focus();
  }

  return (
    <>
      <button ref={button} type="button" class={classes} popovertarget={id} aria-haspopup="menu" aria-label={name}>
        {label}
      </button>
      <div
        ref={menu}
        id={id}
        class="menu"
        popover="auto"
        onToggle={(event) => {
          if (event.newState === "open") place();
        }}
        onKeyDown={move}
        onClick={(event) => {
          if ((event.target as Element).closest("button, a")) menu.current?.hidePopover();
        }}
      >
        {children}
      </div>
    </>
  );
}

function items(menu: HTMLElement): HTMLElement[] {
  return [...menu.querySelectorAll<HTMLElement>("button:not(:disabled), a[href], input")];
}

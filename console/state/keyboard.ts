import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { IconName } from "../ui/icon.tsx";

/** A key, or two in a row, that does something on the current page. */
export interface Shortcut {
  /**
   * As `KeyboardEvent.key`: `j`, `Enter`, `]`. Two keys in a row: `g r`. With the command key (Ctrl elsewhere): `mod+k`.
   */
  keys: string;
  /** What it does, for the list of shortcuts and the palette. Absent: not listed. */
  label?: string;
  icon?: IconName;
  /** It also works while a dialog is open. Others, with the command key or without, then do nothing. */
  inDialogs?: boolean;
  run: () => void;
}

const storageKey = "agent-run-service.single-keys";

/** Whether single keys do something: they can be switched off (WCAG 2.1.4). */
export const singleKeys = signal(localStorage.getItem(storageKey) !== "off");

export function setSingleKeys(on: boolean): void {
  singleKeys.value = on;
  localStorage.setItem(storageKey, on ? "on" : "off");
}

/** The group of the shortcuts that every page has. A page's own come after it, and win. */
export const everywhere = "Everywhere";

/** The shortcuts of the rendered components, by component; the latest wins. */
const registered = signal<{ group: string; shortcuts: Shortcut[] }[]>([]);

export const shortcutGroups = registered;

/** Registers shortcuts while the component is rendered. `group`: heading in the list of shortcuts. */
export function useShortcuts(group: string, shortcuts: Shortcut[]): void {
  const current = useRef(shortcuts);
  current.current = shortcuts;
  // Before the browser paints: a shortcut works as soon as what it acts on is shown.
  useLayoutEffect(() => {
    const entry = {
      group,
      // The functions change with each rendering; the keys do not.
      shortcuts: shortcuts.map((shortcut, index) => ({ ...shortcut, run: () => current.current[index]?.run() })),
    };
    registered.value = group === everywhere ? [entry, ...registered.peek()] : [...registered.peek(), entry];
    return () => {
      registered.value = registered.peek().filter((each) => each !== entry);
    };
  }, [group, shortcuts.map(({ keys }) => keys).join("|")]);
}

const isMac = /mac|iphone|ipad/i.test(navigator.userAgent);

/** Keys as people read them: `⌘K` or `Ctrl K`. */
export function keyNames(keys: string): string[] {
  return keys.split(" ").map((key) => {
    const name = { Enter: "↵", Escape: "esc", ArrowDown: "↓", ArrowUp: "↑" }[
      key.replace("mod+", "").replace("shift+", "")
    ];
    const plain = name ?? key.replace("mod+", "").replace("shift+", "").toUpperCase();
    const shift = key.includes("shift+") ? (isMac ? "⇧" : "Shift ") : "";
    return key.includes("mod+") ? `${isMac ? "⌘" : "Ctrl "}${shift}${plain}` : plain;
  });
}

const pairMs = 1_200;
let first: { key: string; at: number } | undefined;

/** Runs the shortcut of a key. Single keys do nothing in fields, dialogs and menus. */
export function handleKey(event: KeyboardEvent): void {
  const command = event.metaKey || event.ctrlKey;
  if (event.altKey || event.isComposing || event.defaultPrevented) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const name = command ? `mod+${event.shiftKey ? "shift+" : ""}${key}` : key;
  const target = event.target as Element;
  const typing = target.matches("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]");
  if (!command && (!singleKeys.value || typing || document.querySelector("dialog[open], [popover]:popover-open")))
    return;
  if (key === "Enter" && !command && target.matches("button, a, summary")) return;
  const pair = first && Date.now() - first.at < pairMs ? `${first.key} ${name}` : undefined;
  const isInDialog = document.querySelector("dialog[open]") !== null;
  const all = registered.value
    .toReversed()
    .flatMap(({ shortcuts }) => shortcuts)
    .filter(({ inDialogs }) => inDialogs || !isInDialog);
  const found = all.find(({ keys }) => keys === pair) ?? all.find(({ keys }) => keys === name);
  first = !found && all.some(({ keys }) => keys.startsWith(`${name} `)) ? { key: name, at: Date.now() } : undefined;
  if (!found) return;
  event.preventDefault();
  found.run();
}

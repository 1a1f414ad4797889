import { useEffect } from "preact/hooks";
import { type Shortcut, useShortcuts } from "../../state/keyboard.ts";

/** A card is acted on by keys only after it was on screen for so long. Milliseconds. */
const readMs = 500;

/** Since when cards are on screen, as `performance.now()`. */
const shownSince = new WeakMap<Element, number>();

/** Notes since when the card is on screen: half of it, or half of the screen. */
export function useOnScreen(card: { current: HTMLElement | null }): void {
  useEffect(() => {
    const element = card.current;
    if (!element) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { intersectionRatio: ratio, intersectionRect: seen, rootBounds: screen } of entries) {
          const isShown = ratio >= 0.5 || (screen !== null && seen.height >= screen.height / 2);
          if (!isShown) shownSince.delete(element);
          else if (!shownSince.has(element)) shownSince.set(element, performance.now());
        }
      },
      { threshold: [0, 0.1, 0.25, 0.5, 0.75, 1] },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
}

const cards = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>("[data-ask]")];

const focused = (): HTMLElement | null => document.activeElement?.closest<HTMLElement>("[data-ask]") ?? null;

/** Presses a button of the focused card. */
function press(name: "allow" | "deny"): void {
  const card = focused();
  const since = card && shownSince.get(card);
  if (since === undefined || since === null || performance.now() - since < readMs) return;
  card?.querySelector<HTMLElement>(`[data-answer="${name}"]`)?.click();
}

/** Moves the focus to the card after the focused one, or to the first. */
export function focusNextCard(): void {
  const all = cards();
  const card = focused();
  const next = all[(card ? all.indexOf(card) + 1 : 0) % Math.max(1, all.length)];
  next?.scrollIntoView({ block: "nearest" });
  next?.focus({ preventScroll: true });
}

const shortcuts: Shortcut[] = [
  { keys: "a", label: "Allow the focused call", icon: "check", run: () => press("allow") },
  { keys: "d", label: "Deny the focused call", icon: "close", run: () => press("deny") },
  { keys: "w", label: "Next open call", icon: "ask", run: focusNextCard },
];

/** Keys for the cards of a page. `group`: see `useShortcuts`. */
export function useAskKeys(group: string): void {
  useShortcuts(group, shortcuts);
}

import { computed, effect, signal } from "@preact/signals";
import { useLocation } from "preact-iso/router";
import { useLayoutEffect } from "preact/hooks";

/** How many forms of the page have edits that are not saved. */
const edited = signal(0);

export const hasEdits = computed(() => edited.value > 0);

/** Where the person wants to go while there are edits. Set while they are asked. */
export const leaving = signal<{ url: string; replace: boolean } | undefined>(undefined);

/** Address of the page with the edits. */
let here = "";

/** Asks before unsaved edits of this form are lost: when the tab is closed, and when another page is shown. */
export function useLeaveGuard(isEdited: boolean): void {
  const { url } = useLocation();
  useLayoutEffect(() => {
    here = url;
  }, [url]);
  useLayoutEffect(() => {
    if (!isEdited) return undefined;
    edited.value++;
    return () => void edited.value--;
  }, [isEdited]);
}

/** `route` of the router, which asks before unsaved edits are lost. */
export function useNavigate(): (url: string, replace?: boolean) => void {
  const { route } = useLocation();
  return (url, replace) => {
    if (mayLeave(url, replace)) route(url, replace);
  };
}

/** Whether the page may be left now. If not, a dialog asks the user, and opens the address once they agree. */
function mayLeave(url: string, replace = false): boolean {
  if (!hasEdits.peek() || url === here) return true;
  leaving.value = { url, replace };
  return false;
}

/** A click on a link that the router follows. */
function onClick(event: MouseEvent): void {
  const link = (event.target as Element).closest<HTMLAnchorElement>("a[href]");
  const opensElsewhere = event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
  if (!link || opensElsewhere || link.target !== "" || link.download !== "" || link.origin !== location.origin) return;
  if (mayLeave(link.pathname + link.search)) return;
  event.preventDefault();
  event.stopPropagation();
}

/** Back and Forward: the address has changed already. */
function onPopState(event: PopStateEvent): void {
  if (mayLeave(location.pathname + location.search)) return;
  event.stopImmediatePropagation();
  history.pushState(null, "", here);
}

// Before the router's: Chromium calls the listeners of the window in the order of their registration, captures too.
addEventListener("popstate", onPopState);

effect(() => {
  if (!hasEdits.value) return undefined;
  const controller = new AbortController();
  const { signal: until } = controller;
  addEventListener("beforeunload", (event) => event.preventDefault(), { signal: until });
  document.addEventListener("click", onClick, { capture: true, signal: until });
  return () => controller.abort();
});

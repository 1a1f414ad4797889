import { useEffect } from "preact/hooks";
import { waitingCalls } from "./waiting.ts";

/** Names the page in the tab and the history of the browser, with the number of calls that wait. Undefined: its name is not read yet. */
export function usePageTitle(name: string | undefined): void {
  const count = waitingCalls.value;
  useEffect(() => {
    document.title = `${count > 0 ? `(${count}) ` : ""}${name === undefined ? "" : `${name} · `}Agent Run Service`;
  }, [name, count]);
}

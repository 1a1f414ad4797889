import { useEffect } from "preact/hooks";

/** Names the page in the tab and the history of the browser. Undefined: its name is not read yet. */
export function usePageTitle(name: string | undefined): void {
  useEffect(() => {
    document.title = name === undefined ? "Agent Run Service" : `${name} · Agent Run Service`;
  }, [name]);
}

import { useEffect, useState } from "preact/hooks";
import { usePageTitle } from "../state/page-title.ts";
import type { RunStore } from "./run-store.ts";
import { visibleLine } from "./text/visible.ts";

/** Opens the store of a run while its page is shown, and names the page after the run. */
export function useRunStore(create: () => RunStore) {
  const [store] = useState(create);
  useEffect(() => {
    void store.open();
    return () => store.close();
  }, [store]);
  const detail = store.detail.value;
  usePageTitle(detail && visibleLine(detail.name || detail.id, 80));
  return { store, detail, error: store.error.value };
}

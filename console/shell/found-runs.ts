import { useEffect, useState } from "preact/hooks";
import { call } from "../api/client.ts";
import type { Run } from "../api/types.ts";

/** Runs, and the text that found them. */
export interface FoundRuns {
  text: string;
  runs: Run[];
  /** Older runs are still being compared. */
  isSearching: boolean;
}

const searchDelayMs = 120;
const wantedRuns = 8;
/** Pages that are read for a text: each compares up to 1,000 runs. The list of runs continues from there. */
const maxPages = 10;

/**
 * The runs that a text finds, newest first, a moment after its last change. The service compares 1,000 runs at a time, so
 * older ones come later. Until the first response: the runs of the text before.
 */
export function useFoundRuns(text: string): FoundRuns | undefined {
  const [found, setFound] = useState<FoundRuns>();
  const wanted = text.trim();
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const timer = setTimeout(() => {
      find(wanted, signal, setFound).catch(() => {
        // Agents and commands are found without the service.
        if (!signal.aborted) setFound({ text: wanted, runs: [], isSearching: false });
      });
    }, searchDelayMs);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [wanted]);
  return found;
}

async function find(text: string, signal: AbortSignal, onFound: (found: FoundRuns) => void): Promise<void> {
  const runs: Run[] = [];
  let cursor: string | undefined;
  for (let pages = 1; ; pages++) {
    const page = await call("list_runs", { q: text, limit: wantedRuns, cursor }, { signal });
    runs.push(...page.data);
    cursor = page.next ?? undefined;
    const isSearching = cursor !== undefined && text !== "" && runs.length < wantedRuns && pages < maxPages;
    onFound({ text, runs: [...runs], isSearching });
    if (!isSearching) return;
  }
}

import { formatBytes } from "../../format.ts";
import type { ShownText } from "./use-full-text.ts";

/** Says that a text is cut, and loads the rest. */
export function LoadMore({ shown }: { shown: ShownText }) {
  if (shown.complete) return null;
  return (
    <div class="run-load">
      <button type="button" class="button small" disabled={shown.loading} onClick={shown.load}>
        {shown.loading ? "Loading…" : `Show all (${formatBytes(shown.length)})`}
      </button>
      {shown.error && (
        <span class="run-load-error" role="alert">
          {shown.error}
        </span>
      )}
    </div>
  );
}

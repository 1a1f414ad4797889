import { useState } from "preact/hooks";
import type { LineDiff } from "../text/line-diff.ts";
import { visible } from "../text/visible.ts";
import { count } from "../text/words.ts";
import { isText } from "./preview-kind.ts";
import { useLoaded } from "./use-loaded.ts";

/** Lines of the difference at first, and that each click adds. */
const pageSize = 200;

/** Characters of a line that are drawn. */
const longestLine = 2_000;

/** The difference of two versions of a text file. */
export function DiffView({ load }: { load: () => Promise<[Blob, Blob]> }) {
  const { value, error } = useLoaded("difference", async () => {
    const [before, after] = await Promise.all((await load()).map(textOf));
    if (before === undefined || after === undefined) return "binary";
    const { lineDiff } = await import("../text/line-diff.ts");
    return lineDiff(before, after) ?? "slow";
  });
  if (error) {
    return (
      <p class="run-empty" role="alert">
        {error}
      </p>
    );
  }
  if (!value) return <p class="run-empty">Loading…</p>;
  if (value === "binary")
    return <p class="run-empty">The content changed. It is not text, so no lines are compared.</p>;
  if (value === "slow") return <p class="run-empty">The difference is too large to show. Download both versions.</p>;
  return <DiffLines diff={value} />;
}

async function textOf(blob: Blob): Promise<string | undefined> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  return isText(bytes.subarray(0, 8_192)) ? new TextDecoder().decode(bytes) : undefined;
}

/** The lines that differ, and those around them. */
export function DiffLines({ diff }: { diff: LineDiff }) {
  const [shown, setShown] = useState(pageSize);
  const rows = diff.rows.slice(0, shown);
  return (
    <div
      class="diff"
      tabIndex={0}
      role="group"
      aria-label={`Difference: ${diff.added} lines added, ${diff.removed} removed`}
    >
      <p class="fold">{`+${diff.added} −${diff.removed}`}</p>
      {rows.map((row) =>
        row.sign === "fold" ? (
          <p class="fold">{count(row.lines, "line")} unchanged</p>
        ) : (
          // The numbers are drawn by the style sheet, so that a line is one node.
          <p class={classes[row.sign]} data-before={row.before ?? ""} data-after={row.after ?? ""}>
            {`${row.sign} ${visible(row.text.slice(0, longestLine))}${row.text.length > longestLine ? "…" : ""}`}
          </p>
        ),
      )}
      {rows.length < diff.rows.length && (
        <button type="button" class="button small" onClick={() => setShown(shown + pageSize)}>
          Show {Math.min(pageSize, diff.rows.length - rows.length)} more lines
        </button>
      )}
    </div>
  );
}

const classes = { "+": "added", "-": "removed", " ": "same" };

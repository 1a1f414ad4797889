import { useMemo, useState } from "preact/hooks";
import { DiffView } from "../run/files/diff-view.tsx";
import { visible } from "../run/text/visible.ts";
import { Segments } from "../ui/segments.tsx";
import { wordDiff } from "./word-diff.ts";

/** Characters of equal outputs that are drawn. The runs have all of them. */
const longest = 50_000;

/** The recorded output and the output of the attempt. Null: the turn has none. */
export function OutputDifference({ before, after }: { before: string | null; after: string | null }) {
  const [view, setView] = useState<"words" | "lines">("words");
  const words = useMemo(
    () => (before === null || after === null ? undefined : wordDiff(before, after)),
    [before, after],
  );
  const isSame = before === after;
  const isCompared = before !== null && after !== null && !isSame;
  return (
    <section class="panel" aria-label="Output">
      <header class="panel-head">
        <h2>Output</h2>
        {isCompared && words && (
          <span class="end">
            <Segments
              label="Difference by"
              options={[
                ["words", "Words"],
                ["lines", "Lines"],
              ]}
              value={view}
              onChange={setView}
            />
          </span>
        )}
        {isSame && before !== null && <span class="muted">same</span>}
      </header>
      {!isCompared && <Single before={before} after={after} />}
      {isCompared &&
        (words && view === "words" ? (
          <div class="case-text words" tabIndex={0} role="group" aria-label="Difference of the outputs">
            {words.map(({ sign, text }, index) =>
              sign === "-" ? (
                <del key={index}>{visible(text)}</del>
              ) : sign === "+" ? (
                <ins key={index}>{visible(text)}</ins>
              ) : (
                visible(text)
              ),
            )}
          </div>
        ) : (
          <DiffView load={() => Promise.resolve([new Blob([before]), new Blob([after])])} />
        ))}
    </section>
  );
}

/** The output of both turns, or of the only one that has one. */
function Single({ before, after }: { before: string | null; after: string | null }) {
  const text = after ?? before;
  return (
    <>
      {after === null && (
        <p class="case-message">The tried turn has no output. {before !== null && "The recorded one:"}</p>
      )}
      {text !== null && (
        <pre class="case-text" tabIndex={0} aria-label="Output">
          {visible(text.slice(0, longest))}
          {text.length > longest && "…"}
        </pre>
      )}
    </>
  );
}

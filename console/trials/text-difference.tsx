import { useMemo, useState } from "preact/hooks";
import { DiffView } from "../run/files/diff-view.tsx";
import { visible } from "../run/text/visible.ts";
import { Segments } from "../ui/fields/segments.tsx";
import type { Sides } from "./case/sides.ts";
import { wordDiff } from "./word-diff.ts";

/** Characters of equal outputs that are drawn. The runs have all of them. */
const longest = 50_000;

interface TextDifferenceProps {
  /** What the texts are. */
  title: string;
  /** Of the left turn and of the right one. Null: the turn has none. */
  before: string | null;
  after: string | null;
  sides: Sides;
}

/** The difference of two texts, or the text that both have. */
export function TextDifference({ title, before, after, sides }: TextDifferenceProps) {
  const [view, setView] = useState<"words" | "lines">("words");
  const words = useMemo(
    () => (before === null || after === null ? undefined : wordDiff(before, after)),
    [before, after],
  );
  const isSame = before === after;
  const isCompared = before !== null && after !== null && !isSame;
  return (
    <section class="panel" aria-label={title}>
      <header class="panel-head">
        <h2>{title}</h2>
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
      {!isCompared && <Single title={title} before={before} after={after} sides={sides} />}
      {isCompared &&
        (words && view === "words" ? (
          <div
            class="case-text words"
            tabIndex={0}
            role="group"
            aria-label={`Difference of the ${title.toLowerCase()}s`}
          >
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

/** The text of both turns, or of the only one that has one. */
function Single({ title, before, after, sides: { turns } }: TextDifferenceProps) {
  const text = after ?? before;
  const missing = (after === null ? [turns[1]] : []).concat(before === null ? [turns[0]] : []);
  const name = title.toLowerCase();
  return (
    <>
      {missing.length > 0 && (
        <p class="case-message">
          {missing.length === 2
            ? `Neither turn has an ${name}.`
            : `The ${missing[0]} has no ${name}. That of the other one:`}
        </p>
      )}
      {text !== null && (
        <pre class="case-text" tabIndex={0} aria-label={title}>
          {visible(text.slice(0, longest)) || "Empty"}
          {text.length > longest && "…"}
        </pre>
      )}
    </>
  );
}

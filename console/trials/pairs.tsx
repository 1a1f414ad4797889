import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { count } from "../run/text/words.ts";
import { useShortcuts } from "../state/keyboard.ts";
import { Button } from "../ui/button.tsx";

/** A longer row of equal pairs is folded. */
const mostEqual = 5;

/** What two turns did at one place. */
export interface Pair {
  same: boolean;
  /** Of the left turn and of the right one. Null: it did nothing. */
  cells: [left: ComponentChildren, right: ComponentChildren];
  /** The steps of both, with a sign between them. */
  sign: ComponentChildren;
  /** Above the pair: how it differs. */
  note?: ComponentChildren;
  /** Below the pair when it is open. */
  detail: () => ComponentChildren;
}

interface PairsProps {
  title: string;
  /** What is paired: `call`. */
  noun: string;
  /** What a turn without its half has not done: `called`. */
  verb: string;
  heads: [left: string, right: string];
  /** Beside the title. `place`: which of the differences is open, from 1. 0: none. */
  summary: (place: number) => string;
  pairs: Pair[];
  /** Index of the pair that is open first. -1: none. */
  first: number;
}

/** Two turns side by side, in pairs that open. `[` and `]` go from difference to difference. */
export function Pairs({ title, noun, verb, heads, summary, pairs, first }: PairsProps) {
  const [at, setAt] = useState(first);
  const [isUnfolded, setUnfolded] = useState(false);
  const list = useRef<HTMLOListElement>(null);
  const differences = pairs.flatMap(({ same }, index) => (same ? [] : [index]));
  const moved = useRef(false);
  const go = (to: number | undefined): void => {
    if (to === undefined) return;
    moved.current = true;
    setAt(to);
  };
  useEffect(() => {
    if (!moved.current) return;
    const button = list.current?.querySelector<HTMLElement>(`[data-pair="${at}"]`);
    button?.focus();
    button?.scrollIntoView({ block: "nearest" });
  }, [at]);
  const next = differences.find((index) => index > at);
  const previous = differences.findLast((index) => index < at);
  useShortcuts("Case", [
    { keys: "]", label: "Next difference", run: () => go(next) },
    { keys: "[", label: "Previous difference", run: () => go(previous) },
  ]);
  const folded = isUnfolded ? new Set<number>() : foldedRows(pairs, at);
  return (
    <>
      <header class="panel-head">
        <h2>{title}</h2>
        <span class="muted">{summary(differences.indexOf(at) + 1)}</span>
        {differences.length > 0 && (
          <span class="end pair-moves">
            <Button size="small" hint="[" disabled={previous === undefined} onClick={() => go(previous)}>
              Previous
            </Button>
            <Button size="small" hint="]" disabled={next === undefined} onClick={() => go(next)}>
              Next
            </Button>
          </span>
        )}
      </header>
      <div class="pair pair-names" aria-hidden="true">
        <span>{heads[0]}</span>
        <span>step</span>
        <span>{heads[1]}</span>
      </div>
      <ol class="pairs" ref={list}>
        {pairs.map(({ same, cells, sign, note, detail }, index) => {
          if (folded.has(index)) {
            if (folded.has(index - 1)) return null;
            return (
              <li key={index}>
                <button type="button" class="pair-fold" onClick={() => setUnfolded(true)}>
                  Show {count(foldedFrom(folded, index), `equal ${noun}`)}
                </button>
              </li>
            );
          }
          return (
            <li key={index} class={same ? "equal" : "unequal"}>
              {note && <p class="pair-first">{note}</p>}
              <button
                type="button"
                class="pair"
                data-pair={index}
                aria-expanded={index === at}
                onClick={() => setAt(index === at ? -1 : index)}
              >
                {cells[0] ?? <Missing verb={verb} />}
                <span class="pair-sign">
                  <span class="visually-hidden">step </span>
                  {sign}
                </span>
                {cells[1] ?? <Missing verb={verb} />}
              </button>
              {index === at && <div class="pair-detail">{detail()}</div>}
            </li>
          );
        })}
      </ol>
    </>
  );
}

function Missing({ verb }: { verb: string }) {
  return (
    <span class="pair-call missing">
      <span class="visually-hidden">not {verb}</span>
    </span>
  );
}

/** Rows of long sequences of equal pairs, without the open row and the rows next to a difference. */
function foldedRows(pairs: Pair[], at: number): Set<number> {
  const isNear = (index: number): boolean =>
    index === at || [index - 1, index, index + 1].some((near) => pairs[near]?.same === false);
  const far = new Set(pairs.flatMap((_, index) => (isNear(index) ? [] : [index])));
  for (const index of pairs.keys()) {
    if (!far.has(index) || far.has(index - 1)) continue;
    const length = foldedFrom(far, index);
    if (length <= mostEqual) for (let each = index; each < index + length; each++) far.delete(each);
  }
  return far;
}

/** How many rows are folded from `index` on. */
function foldedFrom(folded: Set<number>, index: number): number {
  let length = 0;
  while (folded.has(index + length)) length++;
  return length;
}

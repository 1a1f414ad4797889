import { useEffect, useRef, useState } from "preact/hooks";
import { count } from "../../run/text/words.ts";
import { useShortcuts } from "../../state/keyboard.ts";
import { Button } from "../../ui/fields/button.tsx";
import { CallCell, equalBefore, PairDetail } from "./call-pair.tsx";
import { differenceText } from "./first-difference.ts";
import type { Sides } from "./sides.ts";
import type { PairOfCalls } from "../trial-calls.ts";

/** A longer row of equal pairs is folded. */
const mostEqual = 5;

interface CasePairsProps {
  calls: PairOfCalls[];
  /** Index of the first pair that differs, which is open first. Null: there is none. */
  first: number | null;
  sides: Sides;
}

/** The tool calls of two turns side by side, in pairs that open. `[` and `]` go from difference to difference. */
export function CasePairs(props: CasePairsProps) {
  if (props.calls.length === 0) return <p class="none">Neither turn has called a tool.</p>;
  return <Pairs {...props} />;
}

function Pairs({ calls, first, sides }: CasePairsProps) {
  const [at, setAt] = useState(first ?? -1);
  const [isUnfolded, setUnfolded] = useState(false);
  const list = useRef<HTMLOListElement>(null);
  const differences = calls.flatMap(({ same }, index) => (same ? [] : [index]));
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
  const folded = isUnfolded ? new Set<number>() : foldedRows(calls, at);
  return (
    <>
      <header class="panel-head">
        <h2>Tool calls</h2>
        <span class="muted">{summaryOf(differences, at)}</span>
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
        <span>{sides.heads[0]}</span>
        <span>step</span>
        <span>{sides.heads[1]}</span>
      </div>
      <ol class="pairs" ref={list}>
        {calls.map((pair, index) => {
          const { recorded, candidate, same } = pair;
          if (folded.has(index)) {
            if (folded.has(index - 1)) return null;
            return (
              <li key={index}>
                <button type="button" class="pair-fold" onClick={() => setUnfolded(true)}>
                  Show {count(foldedFrom(folded, index), "equal call")}
                </button>
              </li>
            );
          }
          return (
            <li key={index} class={same ? "equal" : "unequal"}>
              {index === first && (
                <p class="pair-first">
                  <b>First difference</b> {differenceText(pair, sides)} {equalBefore(index)}
                </p>
              )}
              <button
                type="button"
                class="pair"
                data-pair={index}
                aria-expanded={index === at}
                onClick={() => setAt(index === at ? -1 : index)}
              >
                <CallCell call={recorded} />
                <span class="pair-sign">
                  <span class="visually-hidden">step </span>
                  {recorded?.step ?? ""} <b>{same ? "=" : recorded && candidate ? "≠" : "–"}</b> {candidate?.step ?? ""}
                </span>
                <CallCell call={candidate} />
              </button>
              {index === at && (
                <div class="pair-detail">
                  <PairDetail pair={pair} sides={sides} />
                </div>
              )}
            </li>
          );
        })}
      </ol>
    </>
  );
}

/** How many pairs differ, and which of them is open. */
function summaryOf(differences: number[], at: number): string {
  if (differences.length === 0) return "all are equal";
  const place = differences.indexOf(at) + 1;
  return `${place === 0 ? "" : `${place} of `}${count(differences.length, "difference")}`;
}

/** Rows of long sequences of equal pairs, without the open row and the rows next to a difference. */
function foldedRows(calls: PairOfCalls[], at: number): Set<number> {
  const isNear = (index: number): boolean =>
    index === at || [index - 1, index, index + 1].some((near) => calls[near]?.same === false);
  const far = new Set(calls.flatMap((_, index) => (isNear(index) ? [] : [index])));
  for (const index of calls.keys()) {
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

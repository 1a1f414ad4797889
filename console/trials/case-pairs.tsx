import { useEffect, useRef, useState } from "preact/hooks";
import { ToolName } from "../run/text/tool-name.tsx";
import { visibleLine } from "../run/text/visible.ts";
import { count } from "../run/text/words.ts";
import { useShortcuts } from "../state/keyboard.ts";
import { Button } from "../ui/button.tsx";
import { differenceText } from "./first-difference.ts";
import { PairDetail } from "./pair-detail.tsx";
import type { Sides } from "./sides.ts";
import type { PairOfCalls } from "./trial-calls.ts";

/** A longer row of equal calls is folded. */
const mostEqual = 5;

interface CasePairsProps {
  calls: PairOfCalls[];
  /** Index of the first pair that differs. Null: there is none. */
  first: number | null;
  sides: Sides;
}

/** The tool calls of two turns, side by side. `[` and `]` go from difference to difference. */
export function CasePairs({ calls, first, sides }: CasePairsProps) {
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
  if (calls.length === 0) return <p class="none">Neither turn has called a tool.</p>;
  const folded = isUnfolded ? new Set<number>() : foldedRows(calls, at);
  const place = differences.indexOf(at);
  return (
    <>
      <header class="panel-head">
        <h2>Tool calls</h2>
        <span class="muted">
          {differences.length === 0
            ? "all are equal"
            : `${place === -1 ? "" : `${place + 1} of `}${count(differences.length, "difference")}`}
        </span>
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
            <li key={index} class={pair.same ? "equal" : "unequal"}>
              {index === first && (
                <p class="pair-first">
                  <b>First difference</b> {differenceText(pair, sides)} {equalBefore(index)}
                </p>
              )}
              <PairButton
                pair={pair}
                index={index}
                isOpen={index === at}
                onOpen={() => setAt(index === at ? -1 : index)}
              />
              {index === at && <PairDetail pair={pair} sides={sides} />}
            </li>
          );
        })}
      </ol>
    </>
  );
}

function equalBefore(index: number): string {
  if (index === 0) return "";
  return index === 1 ? "The call before it is equal." : `The ${index} calls before it are equal.`;
}

interface PairButtonProps {
  pair: PairOfCalls;
  index: number;
  isOpen: boolean;
  onOpen: () => void;
}

function PairButton({ pair: { recorded, candidate, same }, index, isOpen, onOpen }: PairButtonProps) {
  return (
    <button type="button" class="pair" data-pair={index} aria-expanded={isOpen} onClick={onOpen}>
      <CallCell call={recorded} />
      <span class="pair-sign">
        <span class="visually-hidden">step </span>
        {recorded?.step ?? ""} <b>{sign(same, recorded !== null && candidate !== null)}</b> {candidate?.step ?? ""}
      </span>
      <CallCell call={candidate} />
    </button>
  );
}

function sign(same: boolean, both: boolean): string {
  if (same) return "=";
  return both ? "≠" : "–";
}

/** Null: the turn did not make the call. */
function CallCell({ call }: { call: PairOfCalls["recorded"] }) {
  if (!call) {
    return (
      <span class="pair-call missing">
        <span class="visually-hidden">not called</span>
      </span>
    );
  }
  return (
    <span class={`pair-call ${call.is_error ? "failed" : ""}`}>
      <ToolName name={call.name} />
      <bdi class="sub mono">{visibleLine(call.arguments, 160)}</bdi>
      {call.is_error && <span class="badge bad">failed</span>}
    </span>
  );
}

/** Rows of long sequences of equal calls, without the open row and the rows next to a difference. */
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

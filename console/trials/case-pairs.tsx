import { DiffView } from "../run/files/diff-view.tsx";
import { ToolName } from "../run/text/tool-name.tsx";
import { visible, visibleLine } from "../run/text/visible.ts";
import { count } from "../run/text/words.ts";
import { Code } from "../ui/code.tsx";
import { differenceText } from "./first-difference.ts";
import { Pairs } from "./pairs.tsx";
import { readable } from "./readable.ts";
import type { Sides } from "./sides.ts";
import type { PairOfCalls } from "./trial-calls.ts";

interface CasePairsProps {
  calls: PairOfCalls[];
  /** Index of the first pair that differs. Null: there is none. */
  first: number | null;
  sides: Sides;
}

/** The tool calls of two turns, side by side. */
export function CasePairs({ calls, first, sides }: CasePairsProps) {
  if (calls.length === 0) return <p class="none">Neither turn has called a tool.</p>;
  const differences = calls.filter(({ same }) => !same).length;
  return (
    <Pairs
      title="Tool calls"
      noun="call"
      verb="called"
      heads={sides.heads}
      summary={(place) =>
        differences === 0 ? "all are equal" : `${place === 0 ? "" : `${place} of `}${count(differences, "difference")}`
      }
      first={first ?? -1}
      pairs={calls.map((pair, index) => {
        const { recorded, candidate, same } = pair;
        const sign = same ? "=" : recorded && candidate ? "≠" : "–";
        return {
          same,
          cells: [recorded && <CallCell call={recorded} />, candidate && <CallCell call={candidate} />],
          sign: (
            <>
              {recorded?.step ?? ""} <b>{sign}</b> {candidate?.step ?? ""}
            </>
          ),
          note: index === first && (
            <>
              <b>First difference</b> {differenceText(pair, sides)} {equalBefore(index)}
            </>
          ),
          detail: () => <PairDetail pair={pair} sides={sides} />,
        };
      })}
    />
  );
}

function equalBefore(index: number): string {
  if (index === 0) return "";
  return index === 1 ? "The call before it is equal." : `The ${index} calls before it are equal.`;
}

function CallCell({ call }: { call: NonNullable<PairOfCalls["recorded"]> }) {
  return (
    <span class={`pair-call ${call.is_error ? "failed" : ""}`}>
      <ToolName name={call.name} />
      <bdi class="sub mono">{visibleLine(call.arguments, 160)}</bdi>
      {call.is_error && <span class="badge bad">failed</span>}
    </span>
  );
}

/** Arguments and results of a pair of calls. Arguments that differ are compared by lines. */
function PairDetail({ pair: { recorded, candidate, same }, sides }: { pair: PairOfCalls; sides: Sides }) {
  const [left, right] = sides.heads;
  return (
    <>
      {recorded && candidate && !same ? (
        <Compared
          title={`Arguments, ${left.toLowerCase()} and ${right.toLowerCase()}`}
          before={readable(recorded.arguments)}
          after={readable(candidate.arguments)}
        />
      ) : (
        <PairText title="Arguments" text={readable((candidate ?? recorded)?.arguments ?? "")} />
      )}
      {recorded?.result != null && recorded.result === candidate?.result ? (
        <PairText title="Result of both" text={recorded.result} />
      ) : (
        <>
          {recorded?.result != null && <PairText title={`${left} result`} text={recorded.result} />}
          {candidate?.result != null && <PairText title={`${right} result`} text={candidate.result} />}
        </>
      )}
    </>
  );
}

/** A text that one of two turns has, or both. */
export function PairText({ title, text }: { title: string; text: string }) {
  return <Code wrap title={title} text={visible(text)} copied={text} />;
}

/** Two texts, compared by lines. */
export function Compared({ title, before, after }: { title: string; before: string; after: string }) {
  return (
    <figure class="code">
      <header>{title}</header>
      <DiffView load={() => Promise.resolve([new Blob([before]), new Blob([after])])} />
    </figure>
  );
}

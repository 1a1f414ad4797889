import { DiffView } from "../run/files/diff-view.tsx";
import { visible } from "../run/text/visible.ts";
import { Code } from "../ui/code.tsx";
import { readable } from "./readable.ts";
import type { Sides } from "./sides.ts";
import type { PairOfCalls } from "./trial-calls.ts";

/** Arguments and results of a pair of calls. Arguments that differ are compared by lines. */
export function PairDetail({ pair: { recorded, candidate, same }, sides }: { pair: PairOfCalls; sides: Sides }) {
  const [left, right] = sides.heads;
  const areCompared = recorded && candidate && !same;
  return (
    <div class="pair-detail">
      {areCompared ? (
        <figure class="code">
          <header>Arguments, {`${left} and ${right}`.toLowerCase()}</header>
          <DiffView load={() => Promise.resolve([linesOf(recorded.arguments), linesOf(candidate.arguments)])} />
        </figure>
      ) : (
        <CallText title="Arguments" text={readable((candidate ?? recorded)?.arguments ?? "")} />
      )}
      {recorded?.result != null && recorded.result === candidate?.result ? (
        <CallText title="Result of both" text={recorded.result} />
      ) : (
        <>
          {recorded?.result != null && <CallText title={`${left} result`} text={recorded.result} />}
          {candidate?.result != null && <CallText title={`${right} result`} text={candidate.result} />}
        </>
      )}
    </div>
  );
}

function CallText({ title, text }: { title: string; text: string }) {
  return <Code wrap title={title} text={visible(text)} copied={text} />;
}

function linesOf(text: string): Blob {
  return new Blob([readable(text)]);
}

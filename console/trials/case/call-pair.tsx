import { DiffView } from "../../run/files/diff-view.tsx";
import { ToolName } from "../../run/text/tool-name.tsx";
import { visible, visibleLine } from "../../run/text/visible.ts";
import { Code } from "../../ui/code.tsx";
import { readable } from "./readable.ts";
import type { Sides } from "./sides.ts";
import type { PairOfCalls } from "../trial-calls.ts";

/** How many pairs before this one are equal, as a sentence. Empty: it is the first. */
export function equalBefore(index: number): string {
  if (index === 0) return "";
  return index === 1 ? "The call before it is equal." : `The ${index} calls before it are equal.`;
}

/** A call of one of two turns. Null: it has not made it. */
export function CallCell({ call }: { call: PairOfCalls["recorded"] }) {
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

/** Arguments and results of a pair of calls. Arguments that differ are compared by lines. */
export function PairDetail({ pair: { recorded, candidate, same }, sides }: { pair: PairOfCalls; sides: Sides }) {
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
function PairText({ title, text }: { title: string; text: string }) {
  return <Code wrap title={title} text={visible(text)} copied={text} />;
}

/** Two texts, compared by lines. */
function Compared({ title, before, after }: { title: string; before: string; after: string }) {
  return (
    <figure class="code">
      <header>{title}</header>
      <DiffView load={() => Promise.resolve([new Blob([before]), new Blob([after])])} />
    </figure>
  );
}

import type { ComponentChildren } from "preact";
import { formatNumber } from "../format.ts";
import { Rows } from "../ui/rows.tsx";
import type { Sides } from "./case/sides.ts";
import type { Comparison } from "./trial-calls.ts";
import { dollarsText } from "./words.ts";

type Used = Comparison["run"]["used"];
type Row = [name: string, left: ComponentChildren, right: ComponentChildren];

interface FiguresProps {
  sides: Sides;
  left: Used;
  /** Undefined: the turn is in progress, or was not started. */
  right: Used | undefined;
  /** Further rows. */
  more: Row[];
  /** Below the table. */
  children?: ComponentChildren;
}

/** What two turns used. */
export function Figures({ sides: { heads }, left, right, more, children }: FiguresProps) {
  const rows: Row[] = [
    ["Steps", formatNumber(left.steps), right ? formatNumber(right.steps) : "–"],
    ["Tokens", formatNumber(left.tokens), right ? formatNumber(right.tokens) : "–"],
    ["Cost", dollarsText(left.dollars), right ? dollarsText(right.dollars) : "–"],
    ...more,
  ];
  return (
    <section class="panel">
      <Rows
        class="table case-figures"
        columns={[
          { head: "Figures", isName: true, cell: ([name]) => name },
          { head: heads[0], class: "number", cell: ([, one]) => one },
          { head: heads[1], class: "number", cell: ([, , other]) => other },
        ]}
        rows={rows}
      />
      {children}
    </section>
  );
}

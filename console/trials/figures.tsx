import type { ComponentChildren } from "preact";
import { formatNumber } from "../format.ts";
import { NumbersTable } from "../ui/numbers-table.tsx";
import type { Sides } from "./sides.ts";
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
      <NumbersTable
        class="table case-figures"
        head="Figures"
        of={([name]) => name}
        columns={[
          { name: heads[0], of: ([, one]) => one },
          { name: heads[1], of: ([, , other]) => other },
        ]}
        rows={rows}
      />
      {children}
    </section>
  );
}

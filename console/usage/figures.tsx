import type { ComponentChildren } from "preact";
import type { RunCounts } from "../api/types.ts";
import { formatDollars, formatNumber } from "../format.ts";
import { costText, sumOfCosts } from "../state/cost.ts";
import { BudgetBar } from "./budget-bar.tsx";
import { cachedShare, type Report, tokensOf } from "./report.ts";
import { changeText, errorsText, percent } from "./words.ts";

interface FiguresProps {
  report: Report;
  /** US dollars of as many days before. 0: nothing to compare with. */
  dollarsBefore: number;
  counts: RunCounts | undefined;
  /** US dollars per day. Undefined: no budget. */
  budget: number | undefined;
}

/** The numbers of the page at a glance. */
export function Figures({ report, dollarsBefore, counts, budget }: FiguresProps) {
  const { total, days, series } = report;
  const today = sumOfCosts(series.flatMap(({ days: of }) => of.at(-1) ?? []));
  return (
    <dl class="panel figures">
      <Figure name="Runs" value={formatNumber(total.runs)}>
        {errorsText(counts)}
      </Figure>
      <Figure name="Tokens" value={formatNumber(tokensOf(total))}>
        {percent(cachedShare(total))} read from cache
      </Figure>
      <Figure name="Cost" value={costText(total, 2)}>
        {total.unpricedTokens > 0
          ? `${formatNumber(total.unpricedTokens)} tokens have no price`
          : (changeText(total.dollars, dollarsBefore, days.length) ??
            `${formatDollars(total.dollars / days.length)} a day`)}
      </Figure>
      <Figure name="Today" value={costText(today, 2)}>
        {budget === undefined ? "no budget" : <BudgetBar spent={today.dollars} budget={budget} />}
      </Figure>
    </dl>
  );
}

function Figure({ name, value, children }: { name: string; value: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="value">{value}</dd>
      <dd class="note-line">{children}</dd>
    </div>
  );
}

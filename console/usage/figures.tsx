import type { ComponentChildren } from "preact";
import { formatDollars, formatNumber } from "../format.ts";
import { type Cost, costText, sumOfCosts } from "../state/cost.ts";
import { BudgetBar } from "./budget-bar.tsx";
import { cachedShare, type Grouping, type Report, tokensOf } from "./report.ts";
import { changeText, errorsText, percent, unpricedText } from "./words.ts";

interface FiguresProps {
  report: Report;
  /** US dollars of as many days before. 0: nothing to compare with. */
  dollarsBefore: number;
  grouping: Grouping;
  /** US dollars per day. Undefined: no budget. */
  budget: number | undefined;
}

/** The numbers of the page at a glance. */
export function Figures({ report, dollarsBefore, grouping, budget }: FiguresProps) {
  const { total, days, series, others } = report;
  const unpriced = [...series, ...others].filter((each) => each.id !== undefined && each.total.unpricedTokens > 0);
  const today = sumOfCosts(series.flatMap(({ days: of }) => of.at(-1) ?? []));
  return (
    <dl class="panel figures">
      <Figure name="Runs" value={formatNumber(total.runs)}>
        {errorsText(total.errors, total.runs)}
      </Figure>
      <Figure name="Tokens" value={formatNumber(tokensOf(total))}>
        {percent(cachedShare(total))} read from cache
        {total.estimatedTokens > 0 && `, about ${formatNumber(total.estimatedTokens)} estimated`}
      </Figure>
      {unpriced.length > 0 ? (
        <Figure name={total.dollars > 0 ? "Cost, where prices are known" : "Cost"} value={knownCost(total)}>
          <span class="no-price">{unpricedText(total.unpricedTokens, unpriced.length, grouping)}</span>
        </Figure>
      ) : (
        <Figure name="Cost" value={costText(total, 2)}>
          {changeText(total.dollars, dollarsBefore, days.length) ??
            `${formatDollars(total.dollars / days.length)} a day`}
        </Figure>
      )}
      <Figure name="Today" value={knownCost(today)}>
        {budget === undefined ? "no budget" : <BudgetBar spent={today.dollars} budget={budget} />}
      </Figure>
    </dl>
  );
}

/** The part of a cost that is known; its name says so. */
function knownCost(cost: Cost): string {
  return costText(cost.dollars > 0 ? { ...cost, unpricedTokens: 0 } : cost, 2);
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

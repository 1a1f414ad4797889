import { formatDollars } from "../format.ts";
import { budgetText } from "./words.ts";

/** What was spent today of a budget. From 80 % on it is amber, at the limit red, each with words. */
export function BudgetBar({ spent, budget, badge = false }: { spent: number; budget: number; badge?: boolean }) {
  const share = spent / budget;
  const state = share >= 1 ? "reached" : share >= 0.8 ? "near" : "";
  return (
    <span class={`budget-bar ${state}`}>
      <span
        class="track"
        role="meter"
        aria-label="Budget of today"
        aria-valuemin={0}
        aria-valuemax={budget}
        aria-valuenow={Math.min(spent, budget)}
        aria-valuetext={`${formatDollars(spent)} of ${formatDollars(budget, 2)}`}
        ref={(element) => element?.style.setProperty("--share", `${Math.min(1, share) * 100}%`)}
      />
      <span>{budgetText(spent, budget)}</span>
      {badge && state !== "" && (
        <span class={`badge ${state === "near" ? "warn" : "bad"}`}>
          {state === "near" ? "near the limit" : "limit reached"}
        </span>
      )}
    </span>
  );
}

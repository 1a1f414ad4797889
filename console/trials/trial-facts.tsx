import { formatNumber } from "../format.ts";
import { count } from "../run/text/words.ts";
import { Icon } from "../ui/icon.tsx";
import type { Trial, TrialWithCases } from "./trial-calls.ts";
import { countStates, StateMark, VerdictBar } from "./verdicts.tsx";
import { budgetText, dollarsText, endedText, priceText, spentText } from "./words.ts";

/** The results of a trial so far, in numbers and sentences. */
export function TrialFacts({ trial, cases }: TrialWithCases) {
  const { summary } = trial;
  return (
    <section class="panel trial-facts" aria-label="Verdicts so far">
      <dl class="trial-counts">
        <div>
          <dt>Tried</dt>
          <dd>
            {formatNumber(summary.tried)} of {formatNumber(trial.estimate.cases)}
          </dd>
        </div>
        {countStates(cases).map(([state, number]) => (
          <div key={state}>
            <dt>
              <StateMark state={state} />
            </dt>
            <dd>{formatNumber(number)}</dd>
          </div>
        ))}
      </dl>
      <VerdictBar cases={cases} />
      <div class="trial-results">
        {trial.suite !== null && (
          <p>
            Cases of the suite <b>{trial.suite}</b>.
          </p>
        )}
        {trial.tier && <p>Models are asked with the service tier {trial.tier}.</p>}
        {trial.judge && (
          <p>
            Outputs that differ are judged by <bdi>{trial.judge.name}</bdi>
            {trial.judge.version !== null && `, version ${trial.judge.version}`}.
          </p>
        )}
        {trial.mode === "replay" ? <p>Nothing was called, and nothing was spent.</p> : <Spending trial={trial} />}
      </div>
    </section>
  );
}

/** What the control arm and the verdicts say, and what the trial has used. */
function Spending({ trial }: Pick<TrialWithCases, "trial">) {
  const { summary } = trial;
  return (
    <>
      <Control control={summary.control} />
      <p>{summary.preference}</p>
      <p>
        Spent <b>{spentText(summary.spent)}</b> of {budgetText(trial.budget)}. Estimate {priceText(trial.estimate)}
        {trial.remaining && `, about ${restText(trial.remaining)} to come`}. {endedText(trial)}
      </p>
      {summary.medians && <p>{mediansText(summary.medians)}</p>}
    </>
  );
}

/** How often the current configuration differs from its own record. */
function Control({ control }: Pick<Trial["summary"], "control">) {
  if (!control) return <p>No case has ended with the current configuration yet.</p>;
  if (control.cannot_judge !== null) {
    return (
      <p class="trial-warning">
        <Icon name="warning" />
        {control.cannot_judge}
      </p>
    );
  }
  const of = `${formatNumber(control.differ)} of ${formatNumber(control.cases)}`;
  return (
    <p>
      <b>Current against itself: {of} differ.</b>
    </p>
  );
}

function restText({ dollars, tokens }: NonNullable<Trial["remaining"]>): string {
  return dollars === null ? `${formatNumber(tokens)} tokens` : dollarsText(dollars);
}

function mediansText({ cases, steps, dollars }: NonNullable<Trial["summary"]["medians"]>): string {
  const cost = dollars ? `, cost ${dollarsText(dollars.recorded)} → ${dollarsText(dollars.tried)}` : "";
  return `Medians of ${count(cases, "case")} that finished: steps ${steps.recorded} → ${steps.tried}${cost}.`;
}

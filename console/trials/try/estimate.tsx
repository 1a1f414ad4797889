import { Fact } from "../../ui/fact.tsx";
import { Icon } from "../../ui/icon.tsx";
import { formatNumber } from "../../format.ts";
import { count } from "../../run/text/words.ts";
import type { Trial, TrialCase } from "../trial-calls.ts";
import { budgetText, mayRunOut, priceText } from "../words.ts";

type Destination = Trial["estimate"]["sends"][number];

/** The cases, expected cost and destinations of a trial. `refused`: the cases that cannot be tried. */
export function Estimate({ trial, refused }: { trial: Trial; refused: TrialCase[] }) {
  const { estimate } = trial;
  return (
    <dl class="facts trial-estimate">
      <Fact name="Cases">
        <b>{count(estimate.cases, "case")}</b> to try
        <Refused cases={refused} />
      </Fact>
      <Fact name="Price">
        <b>{priceText(estimate)}</b>, budget {budgetText(trial.budget)}
        {mayRunOut(trial) && (
          <p class="trial-warning">
            <Icon name="warning" />
            The budget can end the trial before all cases are tried.
          </p>
        )}
        {estimate.notes.map((note) => (
          <p key={note} class="hint">
            {note}
          </p>
        ))}
      </Fact>
      <Fact name="Sent to">
        {estimate.sends.length === 0 && "Nobody: nothing leaves this service."}
        <ul class="trial-hosts">
          {estimate.sends.map((each) => (
            <li key={`${each.host} ${each.for}`} class={each.new ? "new" : ""}>
              <Icon name={each.new ? "warning" : "check"} />
              <span>
                <bdi class="mono">{each.host}</bdi>: {sendText(each)}
              </span>
            </li>
          ))}
        </ul>
      </Fact>
    </dl>
  );
}

function sendText({ for: purpose, inputs, files, new: isNew }: Destination): string {
  const sent = {
    model: `${count(inputs, "input")} and ${count(files, "file")} for the model`,
    judge: `${count(inputs, "input")} with both outputs for the judge`,
    mcp_list: "its tools are listed; nothing of a run is sent",
    live_calls: "calls that a rule lets leave the service",
  }[purpose];
  return isNew ? `${sent}. Some recorded turns did not use this host.` : `${sent}, as the recorded turns.`;
}

/** Cases that cannot be tried, by their reason. */
function Refused({ cases }: { cases: TrialCase[] }) {
  if (cases.length === 0) return null;
  const reasons = Map.groupBy(cases, ({ cannot_be_tried }) => cannot_be_tried ?? "");
  return (
    <details class="trial-refused">
      <summary>{count(cases.length, "case")} cannot be tried</summary>
      <ul>
        {[...reasons].map(([reason, of]) => (
          <li key={reason}>
            {formatNumber(of.length)}: <bdi>{reason}</bdi>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Hosts that some recorded turns did not use. */
export function newHosts({ estimate }: Trial): string[] {
  return [...new Set(estimate.sends.filter((each) => each.new).map(({ host }) => host))];
}

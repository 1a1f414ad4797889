import { useState } from "preact/hooks";
import { formatNumber } from "../../format.ts";
import { visibleLine } from "../../run/text/visible.ts";
import { count } from "../../run/text/words.ts";
import { blocked } from "../../state/blocked.ts";
import { useShortcuts } from "../../state/keyboard.ts";
import { pageUrl, useQuery } from "../../state/url.ts";
import { useRows } from "../../state/use-rows.ts";
import { Button } from "../../ui/fields/button.tsx";
import { Rows } from "../../ui/rows.tsx";
import { FileChanges } from "./file-changes.tsx";
import { KeepDialog } from "../keep-dialog.tsx";
import type { TrialAttempt, TrialCase, TrialWithCases } from "../trial-calls.ts";
import { type CaseState, countStates, StateMark, stateOf, wordOf } from "../verdicts.tsx";
import { dollarsText } from "../words.ts";

export const caseUrl = (trialId: string, number: number): string => pageUrl(`trials/${trialId}`, { case: `${number}` });

/** The cases of a trial, in the order of the service, filtered by `?verdict=`. */
export function CaseList({ trial, cases }: TrialWithCases) {
  const [query, setQuery] = useQuery();
  const counts = countStates(cases);
  const chosen = counts.find(([state]) => state === query["verdict"])?.[0];
  const shown = cases.filter((each) => chosen === undefined || stateOf(each) === chosen);
  const [isKeeping, setKeeping] = useState(false);
  const kept = shown.filter(({ cannot_be_tried }) => cannot_be_tried === null);
  const choose = (state: CaseState | undefined): void => setQuery({ verdict: state });
  const tabs: [CaseState | undefined, string, number][] = [
    [undefined, "All", cases.length],
    ...counts.map(([state, number]): [CaseState, string, number] => [state, wordOf(state), number]),
  ];
  useShortcuts(
    "Trial",
    tabs.slice(0, 9).map(([state, word], index) => ({
      keys: `${index + 1}`,
      label: `Show ${word.toLowerCase()}`,
      run: () => choose(state),
    })),
  );
  return (
    <>
      <div class="tabs case-tabs" role="group" aria-label="Verdict">
        {tabs.map(([state, word, number]) => (
          <button
            key={word}
            type="button"
            aria-current={state === chosen ? "true" : undefined}
            onClick={() => choose(state)}
          >
            {state === undefined ? word : <StateMark state={state} />}
            <span class="count">{formatNumber(number)}</span>
          </button>
        ))}
        {trial.status === "finished" && kept.length > 0 && (
          <Button class="keep" size="small" blocked={blocked("keep cases")} onClick={() => setKeeping(true)}>
            Keep {count(kept.length, "case")} as a suite…
          </Button>
        )}
      </div>
      {isKeeping && (
        <KeepDialog agentId={trial.agent_id} trialId={trial.id} cases={kept} onClose={() => setKeeping(false)} />
      )}
      <CaseTable trialId={trial.id} cases={shown} />
    </>
  );
}

function CaseTable({ trialId, cases }: { trialId: string; cases: TrialCase[] }) {
  const url = (index: number): string => caseUrl(trialId, cases[index]?.number ?? 1);
  const row = useRows("Trial", cases.length, url);
  return (
    <div class="panel">
      <Rows
        class="table rows fixed cards cases"
        rows={cases}
        keyOf={({ number }) => number}
        rowProps={(_, index) => row(index)}
        columns={[
          { head: "Verdict", class: "verdict-cell", cell: (each) => <VerdictCell of={each} /> },
          {
            head: "Input",
            class: "input-cell",
            title: nameOf,
            cell: (each, index) => {
              const why = whyText(each);
              return (
                <>
                  <a class="row-link cut" href={url(index)}>
                    <bdi>{nameOf(each)}</bdi>
                  </a>
                  {why !== undefined && (
                    <span class="sub" title={why}>
                      <bdi>{visibleLine(why)}</bdi>
                    </span>
                  )}
                </>
              );
            },
          },
          { head: "Output", class: "output-cell", cell: ({ candidate }) => outputText(candidate) },
          {
            head: "Files",
            class: "files-cell",
            cell: ({ candidate }) =>
              candidate?.ended === "finished" ? <FileChanges files={candidate.files} most={2} /> : "–",
          },
          {
            head: "Steps",
            class: "number steps-cell",
            cell: ({ recorded, candidate }) => (
              <>
                {recorded.steps} → <b>{candidate?.used?.steps ?? "–"}</b>
              </>
            ),
          },
          {
            head: "Cost",
            class: "number cost-cell",
            cell: ({ recorded, candidate }) => (
              <>
                {dollarsText(recorded.dollars)} → <b>{candidate?.used ? dollarsText(candidate.used.dollars) : "–"}</b>
              </>
            ),
          },
        ]}
      />
    </div>
  );
}

const nameOf = ({ input }: TrialCase): string => visibleLine(input, 200) || "Empty input";

function VerdictCell({ of: one }: { of: TrialCase }) {
  const { judged_by, judgement } = one;
  return (
    <>
      <StateMark state={stateOf(one)} />
      {judged_by !== null && (
        <span class="sub">
          by <bdi>{judged_by}</bdi>
        </span>
      )}
      {judged_by === null && judgement?.verdict && <span class="sub">by the judge</span>}
    </>
  );
}

/** "same" or "different". A dash: there is no output to compare. */
function outputText(attempt: TrialAttempt | null): string {
  if (!attempt || attempt.same_output === null) return "–";
  return attempt.same_output ? "same" : "different";
}

/** The reason for the verdict of a case. Undefined: the verdict says it. */
export function whyText({ verdict, cannot_be_tried, candidate, judgement }: TrialCase): string | undefined {
  const unclear = verdict === "unclear" ? (judgement?.reason ?? undefined) : undefined;
  const [broken] = candidate?.assertions ?? [];
  const assertion = broken && `Assertion ${broken.assertion + 1}: ${broken.reason}`;
  return cannot_be_tried ?? candidate?.reason ?? assertion ?? unclear;
}

import type { ComponentChildren } from "preact";
import { useLocation } from "preact-iso/router";
import { useResource } from "../../api/use-resource.ts";
import { formatNumber } from "../../format.ts";
import { visible, visibleLine } from "../../run/text/visible.ts";
import { usePageTitle } from "../../state/page-title.ts";
import { pageUrl } from "../../state/url.ts";
import { Button } from "../../ui/fields/button.tsx";
import { Loading } from "../../ui/empty.tsx";
import { Problem } from "../../ui/problem.tsx";
import { caseUrl, whyText } from "./case-list.tsx";
import { CasePairs } from "./case-pairs.tsx";
import { CaseVerdict } from "./case-verdict.tsx";
import { FileChanges } from "./file-changes.tsx";
import { Figures } from "../figures.tsx";
import { Judgement } from "./judgement.tsx";
import { triedSides } from "./sides.ts";
import { TextDifference } from "../text-difference.tsx";
import { type CaseDetail, readCase, type TrialCase, type TrialWithCases } from "../trial-calls.ts";
import { TrialPath } from "../trial-view.tsx";
import { StateMark, stateOf } from "../verdicts.tsx";

/** Characters of an input that are drawn. The recorded run has all of them. */
const longestInput = 20_000;

interface CaseViewProps extends TrialWithCases {
  number: number;
  agentName: string;
  onJudged: (judged: TrialCase) => void;
}

/** A case of a trial: the recorded turn beside the attempt of the candidate. */
export function CaseView({ trial, cases, number, agentName, onJudged }: CaseViewProps) {
  const index = cases.findIndex((each) => each.number === number);
  const one = cases[index];
  const isRunning = one !== undefined && stateOf(one) === "running";
  const key = `${trial.id} ${number} ${one?.candidate?.ended}`;
  const { data: detail, error } = useResource(
    key,
    (signal) => readCase(trial.id, number, signal),
    isRunning ? 2_000 : 0,
  );
  const name = visibleLine(one?.input ?? "", 120) || "Empty input";
  usePageTitle(name);
  if (!one) return null;
  const why = whyText(one);
  return (
    <main class="page trial-page case-page">
      <TrialPath agentId={trial.agent_id} agentName={agentName} trial={trial.id} />
      <div class="page-head">
        <h1>
          <bdi>{name}</bdi>
        </h1>
        <span class="badge">turn {one.turn}</span>
        <StateMark state={stateOf(one)} />
        {one.judged_by !== null && (
          <span class="muted">
            by <bdi>{one.judged_by}</bdi>
          </span>
        )}
        <div class="actions">
          <CaseVerdict trial={trial} of={one} onJudged={onJudged} />
          <Neighbours trialId={trial.id} cases={cases} index={index} />
        </div>
      </div>
      {why !== undefined && <p class="note">{visibleLine(why)}</p>}
      <Problem>{error?.message}</Problem>
      {!detail && !error && <Loading />}
      {detail && (
        <div class="case-columns">
          <section class="panel" aria-label="Tool calls">
            <CasePairs calls={detail.calls} first={detail.first_difference} sides={triedSides} />
          </section>
          <div class="stack">
            <section class="panel">
              <header class="panel-head">
                <h2>Input</h2>
              </header>
              <pre class="case-text" tabIndex={0} aria-label="Input of the turn">
                {visible(detail.input.slice(0, longestInput)) || "Empty"}
                {detail.input.length > longestInput && "…"}
              </pre>
            </section>
            {one.judgement && <Judgement of={one.judgement} />}
            <TurnEnd detail={detail} of={one} />
            <CaseFigures of={one} />
          </div>
        </div>
      )}
    </main>
  );
}

/** The outputs of both turns, and the files that differ. */
function TurnEnd({ detail, of: { candidate } }: { detail: CaseDetail; of: TrialCase }) {
  return (
    <>
      <TextDifference
        title="Output"
        before={detail.recorded_output}
        after={detail.candidate_output}
        sides={triedSides}
      />
      <section class="panel">
        <header class="panel-head">
          <h2>Files</h2>
          <span class="muted">against those after the recorded turn</span>
        </header>
        <div class="case-text">
          {candidate?.ended === "finished" ? (
            <FileChanges files={candidate.files} />
          ) : (
            <span class="muted">Not compared: the tried turn has not finished.</span>
          )}
        </div>
      </section>
    </>
  );
}

function Neighbours({ trialId, cases, index }: { trialId: string; cases: TrialCase[]; index: number }) {
  const { route } = useLocation();
  const open = (step: number): void => {
    const to = cases[index + step];
    if (to) route(caseUrl(trialId, to.number));
  };
  return (
    <>
      <span class="muted">
        Case {formatNumber(index + 1)} of {formatNumber(cases.length)}
      </span>
      <Button size="small" disabled={index === 0} onClick={() => open(-1)}>
        Previous
      </Button>
      <Button size="small" disabled={index === cases.length - 1} onClick={() => open(1)}>
        Next
      </Button>
    </>
  );
}

/** What both turns used, with links to their runs. Times are left out: recorded answers take none. */
function CaseFigures({ of: { recorded, candidate, run_id, turn } }: { of: TrialCase }) {
  const links: [string, ComponentChildren, ComponentChildren] = [
    "Run",
    <a href={pageUrl(`runs/${run_id}`, { at: `${turn}` })}>Recorded run</a>,
    candidate ? <a href={pageUrl(`runs/${candidate.run_id}`)}>Run of the attempt</a> : "–",
  ];
  return (
    <Figures sides={triedSides} left={recorded} right={candidate?.used ?? undefined} more={[links]}>
      {candidate && candidate.assertions.length + candidate.missing.length + candidate.misses.length > 0 && (
        <ul class="case-notes">
          {candidate.assertions.map(({ assertion, reason }) => (
            <li key={`assertion ${assertion}`}>
              Broken assertion {assertion + 1}: <bdi>{visibleLine(reason)}</bdi>
            </li>
          ))}
          {candidate.missing.map(({ tool, recorded: before, tried }) => (
            <li key={`missing ${tool}`}>
              Left out: <bdi class="mono">{visibleLine(tool, 60)}</bdi>, called {formatNumber(tried)} of{" "}
              {formatNumber(before)} times
            </li>
          ))}
          {candidate.misses.map(({ tool, rule }, index) => (
            <li key={`miss ${index}`}>
              Not in the record: <bdi class="mono">{visibleLine(tool, 60)}</bdi>, answered by the rule {rule}
            </li>
          ))}
        </ul>
      )}
    </Figures>
  );
}

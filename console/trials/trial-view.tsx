import { useLocation } from "preact-iso/router";
import { useState } from "preact/hooks";
import type { Agent } from "../api/types.ts";
import { blocked } from "../state/blocked.ts";
import { pageUrl } from "../state/url.ts";
import { Button } from "../ui/fields/button.tsx";
import { Confirm } from "../ui/dialogs/confirm.tsx";
import { Icon } from "../ui/icon.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { toast } from "../ui/dialogs/toast.tsx";
import { CaseList } from "./case/case-list.tsx";
import { Changes } from "./changes.tsx";
import { Estimate } from "./try/estimate.tsx";
import { SaveButton } from "./try/save-button.tsx";
import { TrialFacts } from "./trial-facts.tsx";
import { deleteTrial, isLive, startTrial, stopTrial, type Trial, type TrialWithCases } from "./trial-calls.ts";
import { statusWords, trialTitle } from "./words.ts";

interface TrialViewProps extends TrialWithCases {
  agentName: string;
  /** Undefined until it is read. */
  agent: Agent | undefined;
  onChange: (trial: Trial) => void;
}

/** A trial: its results so far, and the list of its cases. */
export function TrialView({ trial, cases, agentName, agent, onChange }: TrialViewProps) {
  return (
    <main class="page trial-page">
      <TrialPath agentId={trial.agent_id} agentName={agentName} />
      <TrialHead trial={trial} agent={agent} onChange={onChange} />
      <p class="trial-line">{trial.summary.text}</p>
      {trial.status === "estimated" ? (
        <section class="panel">
          <Estimate trial={trial} refused={cases.filter((each) => each.cannot_be_tried !== null)} />
        </section>
      ) : (
        <TrialFacts trial={trial} cases={cases} />
      )}
      <Changes trial={trial} />
      <CaseList trial={trial} cases={cases} />
    </main>
  );
}

/** Breadcrumb of a trial. `trial`: its ID, on a page below it. */
export function TrialPath({ agentId, agentName, trial }: { agentId: string; agentName: string; trial?: string }) {
  return (
    <nav class="breadcrumb" aria-label="Breadcrumb">
      <a href={pageUrl("agents")}>Agents</a>
      <Icon name="right" />
      <a class="name cut" title={agentName} href={pageUrl(`agents/${agentId}`)}>
        <bdi>{agentName}</bdi>
      </a>
      <Icon name="right" />
      <a href={pageUrl(`agents/${agentId}`, { tab: "trials" })}>Trials</a>
      {trial !== undefined && (
        <>
          <Icon name="right" />
          <a href={pageUrl(`trials/${trial}`)}>Trial</a>
        </>
      )}
    </nav>
  );
}

function TrialHead({ trial, agent, onChange }: Pick<TrialViewProps, "trial" | "agent" | "onChange">) {
  const { id, agent_id, status, candidate } = trial;
  const isDraft = candidate.version === null;
  const { route } = useLocation();
  const [isBusy, setBusy] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const live = isLive(trial);
  const act = (work: Promise<Trial>, failed: string): void => {
    setBusy(true);
    work.then(onChange, (error: Error) => toast(`${failed}: ${error.message}`)).finally(() => setBusy(false));
  };
  return (
    <div class="page-head">
      <h1>{trialTitle(trial)}</h1>
      <span class={`status ${live ? "running" : status}`}>
        <Icon name={live ? "running" : status === "finished" ? "finished" : "idle"} class={live ? "spin" : ""} />
        {statusWords[status]}
      </span>
      <span class="muted trial-by">
        {trial.created_by !== null && (
          <>
            by <bdi>{trial.created_by}</bdi>,{" "}
          </>
        )}
        <RelativeTime at={trial.created_at} />
      </span>
      <div class="actions">
        {status === "estimated" && (
          <Button
            kind="primary"
            icon="play"
            disabled={isBusy || trial.estimate.cases === 0}
            blocked={blocked("start trials")}
            onClick={() => act(startTrial(id), "The trial was not started")}
          >
            Start
          </Button>
        )}
        {live && (
          <Button
            kind="danger"
            icon="stop"
            disabled={isBusy || status === "stopping"}
            blocked={blocked("stop trials")}
            onClick={() => act(stopTrial(id), "The trial was not stopped")}
          >
            Stop
          </Button>
        )}
        {status === "finished" && isDraft && <SaveButton trial={trial} agent={agent} />}
        {isDraft && (
          <a class="button" href={pageUrl(`agents/${agent_id}`, { tab: "edit", trial: id })}>
            Edit this draft
          </a>
        )}
        <Button
          kind="danger"
          icon="trash"
          blocked={live ? "Stop the trial before you delete it." : blocked("delete trials")}
          onClick={() => setDeleting(true)}
        >
          Delete…
        </Button>
      </div>
      {isDeleting && (
        <Confirm
          title="Delete this trial?"
          action="Delete"
          danger
          onClose={() => setDeleting(false)}
          onConfirm={async () => {
            await deleteTrial(id);
            route(pageUrl(`agents/${agent_id}`, { tab: "trials" }), true);
          }}
        >
          It is deleted with the runs of its attempts. The recorded runs stay.
        </Confirm>
      )}
    </div>
  );
}

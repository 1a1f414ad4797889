import type { Agent } from "../api/types.ts";
import { useResource } from "../api/use-resource.ts";
import { pageUrl } from "../state/url.ts";
import { useRows } from "../state/use-rows.ts";
import { Empty, Loading } from "../ui/empty.tsx";
import { Problem } from "../ui/problem.tsx";
import { Rows } from "../ui/rows.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { SampleCases } from "./try/sample-cases.tsx";
import { readTrials, type TrialHead } from "./trial-calls.ts";
import { statusWords, trialTitle } from "./words.ts";

const refreshMs = 5_000;

/** The trials of an agent, newest first. */
export function TrialsTab({ agent }: { agent: Agent }) {
  const agentId = agent.id;
  const { data, error } = useResource(`trials ${agentId}`, (signal) => readTrials(agentId, signal), refreshMs);
  if (error && !data) return <Problem>{error.message}</Problem>;
  if (!data) return <Loading rows={4} />;
  if (data.length === 0) {
    return (
      <Empty title="No trial yet">
        <p>Change the agent, then try the draft on its recent runs before you save it.</p>
        <a class="button" href={pageUrl(`agents/${agentId}`, { tab: "edit" })}>
          Edit the agent
        </a>
        <SampleCases agent={agent} />
      </Empty>
    );
  }
  return <TrialTable trials={data} />;
}

function TrialTable({ trials }: { trials: TrialHead[] }) {
  const url = (index: number): string => pageUrl(`trials/${trials[index]?.id}`);
  const row = useRows("Trials", trials.length, url);
  return (
    <div class="panel">
      <Rows
        class="table rows fixed trials"
        rows={trials}
        keyOf={({ id }) => id}
        rowProps={(_, index) => row(index)}
        columns={[
          {
            head: "Trial",
            cell: (trial, index) => (
              <>
                <a class="row-link" href={url(index)}>
                  {trialTitle(trial)}
                </a>
                <span class="sub">{trial.summary}</span>
              </>
            ),
          },
          { head: "Status", class: "status-cell", cell: ({ status }) => statusWords[status] },
          { head: "Created", class: "number time-cell", cell: ({ created_at: at }) => <RelativeTime at={at} /> },
        ]}
      />
    </div>
  );
}

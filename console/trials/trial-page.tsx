import { useLocation, useRoute } from "preact-iso/router";
import { useEffect, useState } from "preact/hooks";
import { call } from "../api/client.ts";
import { useResource } from "../api/use-resource.ts";
import { usePageTitle } from "../state/page-title.ts";
import { pageUrl } from "../state/url.ts";
import { Empty, Loading } from "../ui/empty.tsx";
import { CaseView } from "./case/case-view.tsx";
import { ComparePage } from "./compare-page.tsx";
import { isLive, readTrial, type TrialWithCases } from "./trial-calls.ts";
import { TrialView } from "./trial-view.tsx";
import { trialTitle } from "./words.ts";

/** How often a trial in progress is read. Milliseconds. */
const refreshMs = 1_000;

/** A trial, or one of its cases: `?case=` is its number; `trials/compare` compares any two turns. */
export function TrialPage() {
  const id = useRoute().params["id"] ?? "";
  if (id === "compare") return <ComparePage />;
  return <OpenTrial key={id} id={id} />;
}

function OpenTrial({ id }: { id: string }) {
  const [isRefreshed, setRefreshed] = useState(true);
  const { query } = useLocation();
  const interval = isRefreshed ? refreshMs : 0;
  const { data, error, replace, reload } = useResource(id, (signal) => readTrial(id, signal), interval);
  const status = data?.trial.status;
  useEffect(() => setRefreshed(!data || isLive(data.trial)), [status]);
  const agentId = data?.trial.agent_id;
  const { data: agent } = useResource(agentId, (signal) => call("get_agent", { agent_id: agentId ?? "" }, { signal }));
  const name = agent?.name ?? "Agent";
  usePageTitle(data && `${trialTitle(data.trial)} · ${name}`);
  if (error && !data) {
    return (
      <main class="page">
        <Empty title={error.status === 404 ? "This trial does not exist" : error.message} wholePage>
          <a class="button" href={pageUrl("agents")}>
            Show agents
          </a>
        </Empty>
      </main>
    );
  }
  if (!data) {
    return (
      <main class="page">
        <Loading />
      </main>
    );
  }
  const number = Number(query["case"]);
  if (data.cases.some((each) => each.number === number)) {
    const onJudged = (judged: TrialWithCases["cases"][number]): void => {
      replace({ ...data, cases: data.cases.map((each) => (each.number === number ? judged : each)) });
      void reload().catch(() => undefined); // counts and order
    };
    return <CaseView key={number} {...data} number={number} agentName={name} onJudged={onJudged} />;
  }
  const onChange = (trial: TrialWithCases["trial"]): void => replace({ ...data, trial });
  return <TrialView {...data} agentName={name} agent={agent} onChange={onChange} />;
}

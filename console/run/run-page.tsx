import { useLocation, useRoute } from "preact-iso/router";
import { useState } from "preact/hooks";
import { Empty, Loading } from "../ui/empty.tsx";
import { oneColumn } from "./one-column.ts";
import { isMissing, runApi } from "./run-api.ts";
import { RunContent } from "./run-content.tsx";
import { RunStore } from "./run-store.ts";
import { useRunStore } from "./use-run-store.ts";
import { useQuery } from "../state/url.ts";

/** The page of one run. */
export function RunPage() {
  const { params } = useRoute();
  const id = params["id"] ?? "";
  return <OpenRun key={id} id={id} />;
}

function OpenRun({ id }: { id: string }) {
  const [, setQuery] = useQuery();
  const [api] = useState(() => runApi(id));
  const create = (): RunStore => new RunStore(api, (at) => setQuery({ at }, { push: coversRun() }));
  const { store, detail, error } = useRunStore(create);
  const { route } = useLocation();
  if (error !== undefined && (!detail || isMissing(error))) {
    return (
      <main class="page">
        <Empty wholePage title={isMissing(error) ? "This run does not exist" : "The run could not be loaded"}>
          <p>{error.message}</p>
          <a class="button" href="/console/runs">
            Show runs
          </a>
        </Empty>
      </main>
    );
  }
  if (!detail) {
    return (
      <main class="page">
        <Loading />
      </main>
    );
  }
  return (
    <RunContent store={store} api={api} control={api} detail={detail} onDeleted={() => route("/console/runs", true)} />
  );
}

/** Whether the inspector is about to cover the timeline: Back then returns to the timeline. */
function coversRun(): boolean {
  return oneColumn() && !new URLSearchParams(location.search).has("at");
}

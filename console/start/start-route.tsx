import { useLocation } from "preact-iso/router";
import { useEffect } from "preact/hooks";
import { openStart } from "../state/dialogs.ts";

/** `/console/start?from=RUN_ID` or `?agent=AGENT_ID`: the list of runs with the dialog "Start run" over it. */
export function StartRoute() {
  const { query, route } = useLocation();
  useEffect(() => {
    const { agent, from } = query;
    openStart({ ...(agent && { agentId: agent }), ...(from && { from }) });
    route("/console/runs", true);
  }, []);
  return null;
}

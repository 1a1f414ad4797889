import { useLocation } from "preact-iso/router";
import { useState } from "preact/hooks";
import type { Agent } from "../../api/types.ts";
import { blocked } from "../../state/blocked.ts";
import { pageUrl } from "../../state/url.ts";
import { Button } from "../../ui/fields/button.tsx";
import { Confirm } from "../../ui/dialogs/confirm.tsx";
import { toast } from "../../ui/dialogs/toast.tsx";
import { saveTried, type Trial } from "../trial-calls.ts";

/** Saves the draft of a finished trial as the next version of its agent. */
export function SaveButton({ trial, agent }: { trial: Trial; agent: Agent | undefined }) {
  const { route } = useLocation();
  const [isAsking, setAsking] = useState(false);
  const tried = trial.control.version;
  const isChanged = agent !== undefined && tried !== null && agent.version !== tried;
  return (
    <>
      <Button kind="primary" blocked={blocked("change agents", agent?.organization_id)} onClick={() => setAsking(true)}>
        Save with this trial
      </Button>
      {isAsking && (
        <Confirm
          title="Save the draft?"
          action={`Save as version ${(agent?.version ?? 0) + 1}`}
          onClose={() => setAsking(false)}
          onConfirm={async () => {
            const { id, version } = await saveTried(trial);
            toast(`Saved version ${version}`);
            route(pageUrl(`agents/${id}`, { tab: "versions" }));
          }}
        >
          {isChanged
            ? `The agent has changed since the trial: it was version ${tried} and is version ${agent.version}. The draft replaces these changes. `
            : "The draft becomes the agent's next version, which keeps this trial. "}
          Turns in progress keep their version.
        </Confirm>
      )}
    </>
  );
}

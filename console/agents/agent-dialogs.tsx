import { useLocation } from "preact-iso/router";
import type { Agent, RunCounts } from "../api/types.ts";
import { pageUrl } from "../state/url.ts";
import { Confirm } from "../ui/dialogs/confirm.tsx";
import { toast } from "../ui/dialogs/toast.tsx";
import { deleteAgent, runsText, setArchived } from "./agent-calls.ts";

interface DialogProps {
  agent: Agent;
  /** Undefined: not counted yet. */
  counts: RunCounts | undefined;
  onClose: () => void;
}

export function ArchiveDialog({
  agent,
  counts,
  onClose,
  onChange,
}: DialogProps & { onChange: (agent: Agent) => void }) {
  return (
    <Confirm
      title={`Archive “${agent.name}”?`}
      action="Archive"
      onClose={onClose}
      onConfirm={async () => {
        onChange(await setArchived(agent.id, true));
        toast(`Archived ${agent.name}`);
      }}
    >
      Its keys get 409 for new runs. {inProgress(counts)} You can unarchive it.
    </Confirm>
  );
}

export function DeleteDialog({ agent, counts, onClose }: DialogProps) {
  const { route } = useLocation();
  return (
    <Confirm
      title={`Delete “${agent.name}”?`}
      action="Delete agent"
      danger
      onClose={onClose}
      onConfirm={async () => {
        await deleteAgent(agent.id);
        toast(`Deleted ${agent.name}`);
        route(pageUrl("agents"));
      }}
    >
      It goes for good. Its keys get 404 for new runs. {inProgress(counts)}{" "}
      {counts ? `${runsText(counts)} stay readable.` : "Its runs stay readable."}
    </Confirm>
  );
}

/** "2 runs in progress will continue." */
function inProgress(counts: RunCounts | undefined): string {
  const running = counts?.running ?? 0;
  if (running === 0) return "Runs in progress will continue.";
  return running === 1 ? "1 run in progress will continue." : `${running} runs in progress will continue.`;
}

import { useState } from "preact/hooks";
import { ApiError } from "../api/client.ts";
import type { Agent } from "../api/types.ts";
import { useResource } from "../api/use-resource.ts";
import { blocked, forbidden } from "../state/blocked.ts";
import { openStart } from "../state/dialogs.ts";
import { useQuery } from "../state/url.ts";
import { readTrialAlone } from "../trials/trial-calls.ts";
import { TryDialog } from "../trials/try/try-dialog.tsx";
import { Loading } from "../ui/empty.tsx";
import { Problem } from "../ui/problem.tsx";
import { toast } from "../ui/dialogs/toast.tsx";
import { authorOf, definitionOf, draftOf, readAgent, updateAgent } from "./agent-calls.ts";
import { Conflict, type ConflictState } from "./conflict.tsx";
import { afterSave, editorOf } from "./editor-state.ts";
import { Editor } from "./editor.tsx";
import { changesOf } from "../form/changes.ts";
import type { Draft } from "../form/json.ts";
import { agentFields } from "./form/layout.ts";
import { messagesOf } from "../form/detail.ts";
import { noMessages } from "../form/messages.ts";
import { SaveBar } from "./save-bar.tsx";

interface EditorTabProps {
  agent: Agent;
  onSaved: (agent: Agent) => void;
}

/** Why the definition of an agent does not change. */
const ended: Partial<Record<Agent["status"], string>> = {
  archived: "This agent is archived. Unarchive it to change it.",
  deleted: "This agent is deleted.",
};

/** The definition of an agent, to edit. `?trial=`: it begins with the draft that the trial has tried. */
export function EditorTab({ agent, onSaved }: EditorTabProps) {
  const [query, setQuery] = useQuery();
  const [trialId] = useState(query["trial"]);
  const { data: tried, error } = useResource(trialId, (signal) => readTrialAlone(trialId ?? "", signal));
  if (trialId !== undefined && !tried && !error) return <Loading />;
  const onStored = (saved: Agent): void => {
    onSaved(saved);
    if (trialId !== undefined) setQuery({ trial: undefined });
  };
  return (
    <>
      <Problem>{error && `The draft of the trial could not be read: ${error.message}`}</Problem>
      <EditedAgent agent={agent} draft={tried && draftOf(tried)} onSaved={onStored} />
    </>
  );
}

function EditedAgent({ agent, draft, onSaved }: EditorTabProps & { draft: Draft | undefined }) {
  const [state, setState] = useState(() => editorOf(draftOf(agent), draft));
  const [messages, setMessages] = useState(noMessages);
  const [conflict, setConflict] = useState<ConflictState>();
  const [isBusy, setBusy] = useState(false);
  const [isTrying, setTrying] = useState(false);
  const [loadedRevision, setLoadedRevision] = useState(agent.revision);
  const readOnly = ended[agent.status] ?? forbidden("change agents", agent.organization_id);
  const reason = readOnly ?? blocked("change agents", agent.organization_id);
  const changes = changesOf(state.stored, state.draft);
  // A newer agent with the edited definition was only archived or unarchived. One with another definition is a conflict.
  const isSameDefinition = changesOf(state.stored, draftOf(agent)).length === 0;
  const revision = conflict?.agent.revision ?? (isSameDefinition ? agent.revision : loadedRevision);
  const nextVersion = ((conflict?.agent ?? agent).version ?? 0) + 1;

  async function save(andStart: boolean): Promise<void> {
    if (isBusy || reason !== undefined || state.problem !== undefined || changes.length === 0) return;
    setBusy(true);
    setMessages(noMessages);
    try {
      const saved = await updateAgent(agent.id, state.draft, revision);
      setState((current) => afterSave(current, state.draft, draftOf(saved)));
      setLoadedRevision(saved.revision);
      setConflict(undefined);
      onSaved(saved);
      toast(`Saved version ${saved.version}`);
      if (andStart) openStart({ agentId: agent.id });
    } catch (error) {
      const isConflict = error instanceof ApiError && error.status === 412;
      if (!isConflict || !(await showConflict())) setMessages(messagesOf(error, agentFields));
    } finally {
      setBusy(false);
    }
  }

  /** Reads what another operator stored. False: it could not be read. */
  async function showConflict(): Promise<boolean> {
    const newer = await readAgent(agent.id).catch(() => undefined);
    if (newer) setConflict({ agent: newer, author: await authorOf(agent.id, newer.version).catch(() => undefined) });
    return newer !== undefined;
  }

  return (
    <>
      {conflict && (
        <Conflict
          conflict={conflict}
          draft={state.draft}
          nextVersion={nextVersion}
          onTakeTheirs={() => {
            onSaved(conflict.agent);
            setState(editorOf(draftOf(conflict.agent)));
            setLoadedRevision(conflict.agent.revision);
            setConflict(undefined);
          }}
        />
      )}
      <Editor
        state={state}
        messages={messages}
        readOnly={readOnly}
        organizationId={agent.organization_id}
        agentId={agent.id}
        revision={agent.revision}
        warnings={agent.warnings}
        note={`Runs in progress keep version ${agent.version ?? "they began with"} to the end of their turn.`}
        onChange={setState}
      />
      {(changes.length > 0 || state.problem !== undefined) && (
        <SaveBar
          changes={changes}
          problem={state.problem}
          readOnly={reason}
          isBusy={isBusy}
          action={`Save as version ${nextVersion}`}
          messages={messages.other}
          onDiscard={() => {
            setState(editorOf(state.stored));
            setMessages(noMessages);
          }}
          onStartRun={() => void save(true)}
          onTry={() => setTrying(true)}
          onSave={() => void save(false)}
        />
      )}
      {isTrying && <TryDialog agent={agent} draft={definitionOf(state.draft)} onClose={() => setTrying(false)} />}
    </>
  );
}

import { useLocation } from "preact-iso/router";
import { useRef, useState } from "preact/hooks";
import { call } from "../api/client.ts";
import { useResource } from "../api/use-resource.ts";
import { bodyOf, isComplete } from "../form/body.ts";
import { messagesOf, otherText } from "../form/detail.ts";
import { noMessages } from "../form/messages.ts";
import { programFor } from "../programs/program.ts";
import { formatBytes } from "../format.ts";
import { limitsText } from "../limits-text.ts";
import { agentNames } from "../state/agent-names.ts";
import { agents } from "../state/agents.ts";
import { blocked } from "../state/blocked.ts";
import { startDialog } from "../state/dialogs.ts";
import { keyNames, useShortcuts } from "../state/keyboard.ts";
import { commands, me } from "../api/session.ts";
import { pageUrl } from "../state/url.ts";
import { Button } from "../ui/fields/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Dialog } from "../ui/dialogs/dialog.tsx";
import { SelectField, TextField } from "../ui/fields/field.tsx";
import { Problem } from "../ui/problem.tsx";
import { activeAgents } from "./active-agents.ts";
import { hasContent, type StartDraft, withFiles } from "./draft.ts";
import { Choices, choiceFields } from "./choices.tsx";
import { DropZone } from "./drop-zone.tsx";
import { checkFiles, type FileCheck } from "./file-limits.ts";
import { FileList } from "./file-list.tsx";
import { rememberAgent } from "./last-agents.ts";
import { LimitMeter } from "./limit-meter.tsx";
import { nameOf, startRun } from "./start-calls.ts";
import { useFileDrop } from "./use-file-drop.ts";

/** Limits of the service, until `GET /me` has answered. */
const usualLimits = { files: 10, file_bytes: 10_485_760, name_length: 200 };

interface StartFormProps {
  title: string;
  start: StartDraft;
  problem: string | undefined;
}

/** What a run is started with. Nothing is sent before it fits the limits. */
export function StartForm(props: StartFormProps) {
  const start = useStart(props);
  const { draft, edit, problem, check, dragged, messages } = start;
  const limits = me.value?.limits ?? usualLimits;
  const { data: agent } = useResource(draft.agentId, (signal) =>
    call("get_agent", { agent_id: draft.agentId ?? "" }, { signal }),
  );
  return (
    <Dialog
      title={props.title}
      class={dragged > 0 ? "start dropping" : "start"}
      onClose={start.close}
      footer={
        start.isAsking ? <DiscardQuestion {...start} /> : <StartActions {...start} limits={agent?.definition.limits} />
      }
    >
      <div class="field-row two">
        <AgentField agentId={draft.agentId} onChange={(agentId) => edit({ agentId })} />
        <TextField
          name={
            <>
              Name <span class="hint">shown in the list</span>
            </>
          }
          maxLength={limits.name_length}
          placeholder={hasContent(draft) ? nameOf(draft) : "From the input"}
          value={draft.name}
          onInput={(name) => edit({ name })}
        />
      </div>
      <TextField name="Input" rows={4} autofocus value={draft.text} onInput={(text) => edit({ text })} />
      <section class="start-files" aria-label="Files">
        <h3>Files</h3>
        <FileList
          files={draft.files}
          check={check}
          onRemove={(file) => edit({ files: draft.files.filter((each) => each !== file) })}
        />
        <DropZone dragged={dragged} onFiles={start.addFiles} />
        <FileMeters files={draft.files.length} check={check} limits={limits} />
      </section>
      <Choices
        choices={draft.choices}
        messages={messages}
        definition={agent?.definition}
        onChange={(choices) => edit({ choices })}
      />
      <Problem>{problem}</Problem>
    </Dialog>
  );
}

/** The state of the dialog. */
function useStart({ start, problem: firstProblem }: StartFormProps) {
  const { route } = useLocation();
  const [entered, setDraft] = useState(start);
  // Agents may be read after the dialog is opened.
  const draft = { ...entered, agentId: entered.agentId ?? activeAgents()[0]?.id };
  const [problem, setProblem] = useState(firstProblem);
  const [messages, setMessages] = useState(noMessages);
  const [isAsking, setAsking] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const original = useRef(start);
  const check = checkFiles(draft.files, me.value?.limits ?? usualLimits);
  const edit = (changes: Partial<StartDraft>): void => setDraft((before) => ({ ...before, ...changes }));
  const addFiles = (files: File[]): void => {
    setProblem(undefined);
    setDraft((before) => withFiles(before, files));
  };
  const dragged = useFileDrop(addFiles, () =>
    setProblem("A folder cannot be sent. Drop its files, or an archive of it."),
  );
  const reason = agentReason(draft) ?? filesReason(check) ?? choicesReason(draft);
  const close = (): void => {
    const isUntouched = entered === original.current || !hasContent(draft);
    if (isUntouched || isAsking) startDialog.value = undefined;
    else setAsking(true);
  };
  async function send(): Promise<void> {
    if (draft.agentId === undefined || reason !== undefined || isBusy) return;
    setBusy(true);
    setProblem(undefined);
    setMessages(noMessages);
    try {
      const run = await startRun(draft.agentId, draft);
      rememberAgent(draft.agentId);
      startDialog.value = undefined;
      route(pageUrl(`runs/${run.id}`));
    } catch (error) {
      const found = messagesOf(error, choiceFields);
      setMessages(found);
      setProblem(otherText(found));
      setBusy(false);
    }
  }
  useShortcuts("Start run", [{ keys: "mod+Enter", label: "Start run", inDialogs: true, run: () => void send() }]);
  return { draft, edit, addFiles, problem, messages, check, dragged, reason, close, isAsking, setAsking, isBusy, send };
}

type Start = ReturnType<typeof useStart>;

function DiscardQuestion({ close, setAsking }: Start) {
  return (
    <>
      <span>Discard what you entered?</span>
      <Button autofocus onClick={() => setAsking(false)}>
        Keep editing
      </Button>
      <Button kind="danger filled" onClick={close}>
        Discard
      </Button>
    </>
  );
}

function StartActions({ draft, reason, isBusy, send, limits }: Start & { limits: unknown }) {
  const most = limitsText(limits);
  return (
    <>
      <p class="muted">{agentReason(draft) ?? (most === undefined ? "" : `Limits: ${most}`)}</p>
      <CopyButton text={() => curlOf(draft)} size="small">
        Copy as curl
      </CopyButton>
      <Button
        kind="primary"
        hint={keyNames("mod+Enter").join("")}
        blocked={reason}
        disabled={isBusy}
        onClick={() => void send()}
      >
        {isBusy ? "Starting…" : "Start run"}
      </Button>
    </>
  );
}

function FileMeters({ files, check, limits }: { files: number; check: FileCheck; limits: typeof usualLimits }) {
  return (
    <div class="field-row two">
      <LimitMeter
        label="Number of files"
        value={files}
        limit={limits.files}
        text={`${files} of ${limits.files} files`}
        problem={check.countProblem}
      />
      <LimitMeter
        label="Size of the files"
        value={check.bytes}
        limit={limits.file_bytes}
        text={`${formatBytes(check.bytes)} of ${formatBytes(limits.file_bytes)}`}
        problem={check.sizeProblem}
      />
    </div>
  );
}

/** The first exceeded limit. The meters show it as well. */
function filesReason(check: FileCheck): string | undefined {
  return check.countProblem ?? check.sizeProblem ?? check.problems.find((each) => each !== undefined);
}

/** Why no run can be started now, whatever is entered. Undefined: it can. */
function agentReason({ agentId }: StartDraft): string | undefined {
  if (agentId === undefined) return agents.value ? "Create an agent first." : "The agents are being read.";
  const agent = agents.value?.find(({ id }) => id === agentId);
  if (agent?.status === "archived") return "The agent is archived. Choose another one, or unarchive it.";
  return blocked("start runs", agent?.organization_id);
}

/** What is wrong with the choices as they were typed. */
function choicesReason({ choices }: StartDraft): string | undefined {
  return isComplete(choices, choiceFields) ? undefined : "Correct the model, limits, labels or other settings first.";
}

function curlOf(draft: StartDraft): string {
  return programFor("curl", {
    name: nameOf(draft),
    agentId: draft.agentId ?? "AGENT_ID",
    input: draft.text.trim() === "" ? undefined : draft.text,
    nextInputs: [],
    files: draft.files.map(({ name }) => name),
    choices: bodyOf(draft.choices, choiceFields),
    serviceUrl: me.value?.service_url ?? undefined,
    adminCommand: commands().admin,
  });
}

function AgentField({ agentId, onChange }: { agentId: string | undefined; onChange: (id: string) => void }) {
  const choices = activeAgents();
  const chosen = agents.value?.find(({ id }) => id === agentId);
  const all = chosen && !choices.includes(chosen) ? [chosen, ...choices] : choices;
  const names = agentNames(all);
  return (
    <SelectField
      name="Agent"
      value={agentId}
      disabled={all.length === 0}
      options={
        all.length === 0
          ? [["", "No active agent"]]
          : all.map(({ id, status }) => [id, `${names.get(id)}${status === "active" ? "" : ` (${status})`}`] as const)
      }
      onChange={onChange}
    />
  );
}

import { useLocation } from "preact-iso/router";
import { useState } from "preact/hooks";
import { useResource } from "../api/use-resource.ts";
import { blocked, forbidden } from "../state/blocked.ts";
import { keyNames, useShortcuts } from "../state/keyboard.ts";
import { useLeaveGuard } from "../state/leave-guard.ts";
import { organization, organizations } from "../state/organization.ts";
import { usePageTitle } from "../state/page-title.ts";
import { pageUrl } from "../state/url.ts";
import { Button } from "../ui/fields/button.tsx";
import { Empty, Loading } from "../ui/empty.tsx";
import { FieldProblem, SelectField } from "../ui/fields/field.tsx";
import { toast } from "../ui/dialogs/toast.tsx";
import { createAgent, draftOf, readAgent } from "./agent-calls.ts";
import { editorOf, isEdited } from "./editor-state.ts";
import { Editor } from "./editor.tsx";
import { type Draft, textOf } from "../form/json.ts";
import { agentFields } from "./form/layout.ts";
import { messagesOf } from "../form/detail.ts";
import { noMessages } from "../form/messages.ts";
import { starterDefinition } from "./starter.ts";

/** The page of a new agent. `?from=`: an agent whose definition it begins with. */
export function NewAgent() {
  usePageTitle("New agent");
  const { query } = useLocation();
  const from = query["from"];
  const { data, error } = useResource(from, async (signal) => draftOf(await readAgent(from ?? "", signal)));
  const copied = data && { ...data, name: `Copy of ${textOf(data["name"])}` };
  return (
    <main class="page agent-page">
      <nav class="breadcrumb" aria-label="Breadcrumb">
        <a href={pageUrl("agents")}>Agents</a>
      </nav>
      <div class="page-head">
        <h1>New agent</h1>
      </div>
      {from !== undefined && !data && !error ? <Loading /> : <NewAgentForm start={copied ?? starterDefinition} />}
    </main>
  );
}

function NewAgentForm({ start }: { start: Draft }) {
  const { route } = useLocation();
  const [state, setState] = useState(() => editorOf(start));
  const [messages, setMessages] = useState(noMessages);
  const [isBusy, setBusy] = useState(false);
  const [chosen, setChosen] = useState<string>();
  const all = organizations.value ?? [];
  const owner = chosen ?? organization.value?.id ?? all[0]?.id;
  const reason = blocked("create agents", owner) ?? state.problem;

  async function create(): Promise<void> {
    if (owner === undefined || isBusy || reason !== undefined) return;
    setBusy(true);
    setMessages(noMessages);
    try {
      const agent = await createAgent(owner, state.draft);
      toast(`Created ${agent.name}`);
      route(pageUrl(`agents/${agent.id}`, { tab: "keys" }));
    } catch (error) {
      setMessages(messagesOf(error, agentFields));
      setBusy(false);
    }
  }

  useLeaveGuard(isEdited(state) && !isBusy);
  useShortcuts("Edit", [{ keys: "mod+s", label: "Create agent", run: () => void create() }]);
  if (organizations.value && all.length === 0) {
    return (
      <Empty title="Create an organization first">
        <p>It owns agents and has the model that they use.</p>
        <a class="button primary" href={pageUrl("models")}>
          Create organization
        </a>
      </Empty>
    );
  }
  return (
    <>
      {all.length > 1 && (
        <div class="new-agent-owner">
          <SelectField
            name="Organization"
            value={owner}
            options={all.map(({ id, name }) => [id, name] as const)}
            onChange={setChosen}
          />
        </div>
      )}
      <Editor
        state={state}
        messages={messages}
        readOnly={forbidden("create agents", owner)}
        organizationId={owner ?? ""}
        onChange={setState}
      />
      <section class="save-bar" aria-label="New agent">
        {messages.other.map((message) => (
          <FieldProblem key={message}>{message}</FieldProblem>
        ))}
        <div class="save-bar-row">
          <p class="save-bar-list cut">{reason ?? "Next: a key, or a first run."}</p>
          <Button
            kind="primary"
            hint={keyNames("mod+s").join("")}
            blocked={reason}
            disabled={isBusy}
            onClick={() => void create()}
          >
            {isBusy ? "Creating…" : "Create agent"}
          </Button>
        </div>
      </section>
    </>
  );
}

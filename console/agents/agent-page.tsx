import { useLocation, useRoute } from "preact-iso/router";
import { useState } from "preact/hooks";
import { useResource } from "../api/use-resource.ts";
import type { Agent } from "../api/types.ts";
import { blocked } from "../state/blocked.ts";
import { openStart } from "../state/dialogs.ts";
import { usePageTitle } from "../state/page-title.ts";
import { pageUrl } from "../state/url.ts";
import { Button } from "../ui/fields/button.tsx";
import { copyAndSay } from "../ui/copy-button.tsx";
import { Empty, Loading } from "../ui/empty.tsx";
import { Icon } from "../ui/icon.tsx";
import { loadLater } from "../ui/load-later.tsx";
import { Menu } from "../ui/dialogs/menu.tsx";
import { toast } from "../ui/dialogs/toast.tsx";
import { TrialsTab } from "../trials/trials-tab.tsx";
import { WebhookTab } from "../webhook/webhook-tab.tsx";
import { countRuns, readAgent, runsText, setArchived } from "./agent-calls.ts";
import { ArchiveDialog, DeleteDialog } from "./agent-dialogs.tsx";
import { EditorTab } from "./editor-tab.tsx";
import { KeysTab } from "./keys-tab.tsx";
import { NewAgent } from "./new-agent.tsx";
import { Overview } from "./overview.tsx";
import { VersionsTab } from "./versions-tab.tsx";

const ImportDialog = loadLater(() => import("../bundles/import-dialog.tsx").then((module) => module.ImportDialog));

const tabs = [
  ["", "Overview"],
  ["edit", "Edit"],
  ["keys", "API access"],
  ["webhook", "Webhook"],
  ["versions", "Versions"],
  ["trials", "Trials"],
] as const;

/** An agent with its tabs, or the form of a new one. */
export function AgentPage() {
  const id = useRoute().params["id"] ?? "";
  return id === "new" ? <NewAgent /> : <ExistingAgent key={id} id={id} />;
}

function ExistingAgent({ id }: { id: string }) {
  const { query } = useLocation();
  const { data: agent, error, replace } = useResource(id, (signal) => readAgent(id, signal));
  usePageTitle(agent?.name);
  if (error && !agent) {
    return (
      <main class="page">
        <Empty wholePage title={error.status === 404 ? "This agent does not exist" : error.message}>
          <a class="button" href={pageUrl("agents")}>
            Show agents
          </a>
        </Empty>
      </main>
    );
  }
  if (!agent) {
    return (
      <main class="page">
        <Loading />
      </main>
    );
  }
  const tab = tabs.find(([name]) => name === query["tab"])?.[0] ?? "";
  return (
    <main class="page agent-page">
      <AgentHead agent={agent} onChange={replace} />
      <div class="tabs">
        {tabs.map(([name, title]) => (
          <a key={name} href={pageUrl(`agents/${id}`, { tab: name })} aria-current={name === tab ? "page" : undefined}>
            {title}
            {name === "versions" && agent.version !== null && <span class="count">{agent.version}</span>}
          </a>
        ))}
      </div>
      {tab === "" && <Overview agent={agent} />}
      {tab === "edit" && <EditorTab agent={agent} onSaved={replace} />}
      {tab === "keys" && <KeysTab agent={agent} />}
      {tab === "webhook" && <WebhookTab agent={agent} />}
      {tab === "versions" && <VersionsTab agent={agent} onSaved={replace} />}
      {tab === "trials" && <TrialsTab agent={agent} />}
    </main>
  );
}

function AgentHead({ agent, onChange }: { agent: Agent; onChange: (agent: Agent) => void }) {
  const { id, name, version, status } = agent;
  const [dialog, setDialog] = useState<AgentDialog>();
  const { data: counts } = useResource(`counts ${id}`, (signal) => countRuns(id, signal), 15_000);
  const startBlocked =
    status === "active"
      ? blocked("start runs", agent.organization_id)
      : `This agent is ${status}. ${status === "archived" ? "Unarchive it first." : ""}`;
  return (
    <>
      <nav class="breadcrumb" aria-label="Breadcrumb">
        <a href={pageUrl("agents")}>Agents</a>
      </nav>
      <div class="page-head">
        <h1>
          <bdi>{name}</bdi>
        </h1>
        {version !== null && <span class="badge">version {version}</span>}
        {status !== "active" && <span class="badge warn">{status}</span>}
        <button type="button" class="id mono" title={`Copy ${id}`} onClick={() => copyAndSay(id, "Agent id copied")}>
          {id.slice(0, 8)} <Icon name="copy" />
        </button>
        <div class="actions">
          {counts && (
            <a class="button" href={pageUrl("runs", { agent: id })}>
              {runsText(counts)}
            </a>
          )}
          <Button kind="primary" icon="plus" blocked={startBlocked} onClick={() => openStart({ agentId: id })}>
            Start run
          </Button>
          <Menu class="button icon-only" name="More actions" align="end" label={<Icon name="more" />}>
            <AgentActions agent={agent} onChange={onChange} onDialog={setDialog} />
          </Menu>
        </div>
      </div>
      {dialog === "archive" && (
        <ArchiveDialog agent={agent} counts={counts} onClose={() => setDialog(undefined)} onChange={onChange} />
      )}
      {dialog === "delete" && <DeleteDialog agent={agent} counts={counts} onClose={() => setDialog(undefined)} />}
      {dialog === "import" && <ImportDialog agent={agent} onClose={() => setDialog(undefined)} />}
    </>
  );
}

type AgentDialog = "archive" | "delete" | "import";

interface AgentActionsProps {
  agent: Agent;
  onChange: (agent: Agent) => void;
  onDialog: (dialog: AgentDialog) => void;
}

/** The menu of an agent. */
function AgentActions({ agent, onChange, onDialog }: AgentActionsProps) {
  const reason = blocked("change agents", agent.organization_id);
  const importing = blocked("import runs", agent.organization_id);
  const unarchive = async (): Promise<void> => {
    try {
      onChange(await setArchived(agent.id, false));
      toast(`Unarchived ${agent.name}`);
    } catch (error) {
      toast(`${agent.name} was not unarchived: ${(error as Error).message}`);
    }
  };
  return (
    <>
      <button type="button" onClick={() => copyAndSay(JSON.stringify(agent.definition, null, 2), "Agent file copied")}>
        Copy agent file
      </button>
      <a href={pageUrl("agents/new", { from: agent.id })}>Duplicate…</a>
      {agent.status === "active" && (
        <button type="button" disabled={importing !== undefined} title={importing} onClick={() => onDialog("import")}>
          Import a run…
        </button>
      )}
      <hr />
      {agent.status === "archived" ? (
        <button type="button" disabled={reason !== undefined} onClick={() => void unarchive()}>
          Unarchive
        </button>
      ) : (
        <button type="button" disabled={reason !== undefined} onClick={() => onDialog("archive")}>
          Archive…
        </button>
      )}
      <button type="button" class="danger" disabled={reason !== undefined} onClick={() => onDialog("delete")}>
        Delete…
      </button>
      {reason !== undefined && <p class="title">{reason}</p>}
    </>
  );
}

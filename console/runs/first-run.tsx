import { defaultEnvironment, isUndescribed, offerFor, pythonText, systemText } from "../environments.ts";
import { agents } from "../state/agents.ts";
import { blocked } from "../state/blocked.ts";
import { openStart } from "../state/dialogs.ts";
import { me } from "../api/session.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { loadLater } from "../ui/load-later.tsx";
import { keyNames } from "../state/keyboard.ts";

const CallExample = loadLater(() => import("../programs/call-example.tsx").then((module) => module.CallExample));

/** What the list shows before there is a run: how to start one, here and from a program. */
export function FirstRun() {
  const reason = blocked("start runs");
  const agent = agents.value?.find(({ status }) => status === "active");
  return (
    <section class="panel first-run">
      <div>
        <FirstBars />
        <h2>Start the first run</h2>
        <p class="muted">
          A run hands one input and some files to an agent. It works on its own, and you watch every step here.
        </p>
        <p class="row">
          <Button
            kind="primary"
            icon="play"
            hint={keyNames("n")[0] ?? ""}
            blocked={reason}
            onClick={() => openStart(agent ? { agentId: agent.id } : {})}
          >
            Start run
          </Button>
          {reason !== undefined && <span class="muted">{reason}</span>}
        </p>
        <ProgramsLine />
        {agents.value?.length === 0 && (
          <p class="note">
            <Icon name="info" />
            <span>
              There is no agent yet. <a href="/console/agents/new">Create an agent</a>
            </span>
          </p>
        )}
      </div>
      <div>
        <h2>Or from your program</h2>
        <p class="muted">The call responds with an id at once. This page shows the run as soon as it exists.</p>
        <CallExample
          call={{ serviceUrl: me.value?.service_url ?? undefined, agentId: agent?.id ?? "AGENT_ID", key: undefined }}
        />
        <p class="row">
          {agent && (
            <a class="button" href={`/console/agents/${agent.id}?tab=keys`}>
              <Icon name="key" />
              Create key
            </a>
          )}
          <span class="muted">The call needs a key of the agent.</span>
        </p>
        <p class="status">
          <Icon name="running" class="spin live" />
          Waiting for the first run…
        </p>
      </div>
    </section>
  );
}

/** What programs of agents run in, or what to install for it. Nothing where it is not known. */
function ProgramsLine() {
  const shell = offerFor("run_shell", me.value?.environments);
  const found = me.value?.environments?.find(({ name }) => name === defaultEnvironment);
  if (!shell) return null;
  return (
    <p class="muted programs-line">
      {found && !shell.isMissing
        ? `Programs of agents run in ${systemText(found)}${isUndescribed(found) ? "" : `, with ${pythonText(found)}`}.`
        : `Agents can run Python and JavaScript here, but no bash. ${found?.unavailable ?? ""}`}
    </p>
  );
}

/** The mark of the service, large. */
function FirstBars() {
  return (
    <svg class="first-bars" viewBox="0 0 204 42" aria-hidden="true">
      <rect width="72" height="6" rx="2" />
      <rect x="40" y="12" width="44" height="6" rx="2" />
      <rect class="on" x="96" y="23" width="56" height="6" rx="2" />
      <rect x="84" y="34" width="120" height="6" rx="2" />
    </svg>
  );
}

import { useMemo } from "preact/hooks";
import { defaultEnvironment, isUndescribed, offerFor, pythonText, systemText } from "../../environments.ts";
import { agents } from "../../state/agents.ts";
import { blocked } from "../../state/blocked.ts";
import { openStart } from "../../state/dialogs.ts";
import { organizations } from "../../state/organization.ts";
import { me } from "../../api/session.ts";
import type { AgentSummary } from "../../api/types.ts";
import { formatBytes } from "../../format.ts";
import { Button } from "../../ui/fields/button.tsx";
import { Icon, type IconName } from "../../ui/icon.tsx";
import { loadLater } from "../../ui/load-later.tsx";
import { keyNames } from "../../state/keyboard.ts";
import { pageUrl } from "../../state/url.ts";
import { type Sample, samples } from "./samples.ts";

const CallExample = loadLater(() => import("../../programs/call-example.tsx").then((module) => module.CallExample));

/** What the list shows before there is a run: samples to start with, what comes then, and how a program does it. */
export function FirstRun() {
  const agent = agents.value?.find(({ status }) => status === "active");
  return (
    <section class="panel first-run">
      <Begin agent={agent} />
      <div>
        <h2>Then</h2>
        <ul class="next-steps">
          <NextStep
            icon="model"
            title="Use a real model"
            note="A provider’s key, or a model server of your own"
            link={{ name: "Choose model", href: pageUrl("models") }}
          />
          <NextStep
            icon="agent"
            title="Make an agent of your own"
            note="Instructions, tools and limits; one field is enough"
            link={{ name: "New agent", href: pageUrl("agents/new") }}
          />
        </ul>
        <h2>Or from your program</h2>
        <CallExample
          call={{ serviceUrl: me.value?.service_url ?? undefined, agentId: agent?.id ?? "AGENT_ID", key: undefined }}
        />
        <p class="row">
          {agent && (
            <a class="button" href={pageUrl(`agents/${agent.id}`, { tab: "keys" })}>
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

/** The samples, and a run without one. */
function Begin({ agent }: { agent: AgentSummary | undefined }) {
  const reason = blocked("start runs") ?? (agents.value?.length === 0 ? "There is no agent yet." : undefined);
  const preset = agent ? { agentId: agent.id } : {};
  const isDemo = organizations.value?.find(({ id }) => id === agent?.organization_id)?.model?.provider === "demo";
  return (
    <div>
      <FirstBars />
      <h2>Start the first run</h2>
      <p class="muted">
        A run hands one input and some files to an agent. It works on its own, and you watch every step here.
      </p>
      <ul class="samples" aria-label="Samples">
        {samples.map((sample) => (
          <li key={sample.title}>
            <SampleButton
              sample={sample}
              blocked={reason}
              onClick={(files) => openStart({ ...preset, sample: { text: sample.text, files } })}
            />
          </li>
        ))}
      </ul>
      <p class="row">
        <Button
          kind="primary"
          icon="play"
          hint={keyNames("n")[0] ?? ""}
          blocked={reason}
          onClick={() => openStart(preset)}
        >
          Start run
        </Button>
        <span class="muted">{reason ?? "or begin with an input of your own."}</span>
      </p>
      {isDemo && (
        <p class="muted">
          The demo model costs nothing. It calls tools and shows every step, but does not understand the input.
        </p>
      )}
      <ProgramsLine />
      {agents.value?.length === 0 && (
        <p class="note">
          <Icon name="info" />
          <span>
            There is no agent yet. <a href={pageUrl("agents/new")}>Create an agent</a>
          </span>
        </p>
      )}
    </div>
  );
}

interface SampleButtonProps {
  sample: Sample;
  blocked: string | undefined;
  onClick: (files: ReturnType<Sample["files"]>) => void;
}

/** Opens the dialog "Start run" with the sample's input and files. */
function SampleButton({ sample: { title, note, icon, files }, blocked: reason, onClick }: SampleButtonProps) {
  const all = useMemo(files, []);
  const bytes = all.reduce((sum, { text }) => sum + new Blob([text]).size, 0);
  return (
    <button type="button" class="sample" disabled={reason !== undefined} title={reason} onClick={() => onClick(all)}>
      <span class="tile">
        <Icon name={icon} />
      </span>
      <span>
        <b>{title}</b>
        <span>{note}</span>
      </span>
      <span class="size">
        {all.length === 1 ? "1 file" : `${all.length} files`}, {formatBytes(bytes)}
      </span>
    </button>
  );
}

interface NextStepProps {
  icon: IconName;
  title: string;
  note: string;
  link: { name: string; href: string };
}

function NextStep({ icon, title, note, link }: NextStepProps) {
  return (
    <li>
      <Icon name={icon} />
      <span>
        <b>{title}</b>
        <span class="muted">{note}</span>
      </span>
      <a class="button small" href={link.href}>
        {link.name}
      </a>
    </li>
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

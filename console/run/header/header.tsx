import type { ComponentProps } from "preact";
import { formatClock, formatDateTime, formatRelative, shortRunId } from "../../format.ts";
import { endedAtLimit, starterText } from "../../run-words.ts";
import { pageUrl } from "../../state/url.ts";
import { Button } from "../../ui/fields/button.tsx";
import { copyAndSay } from "../../ui/copy-button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { loadLater } from "../../ui/load-later.tsx";
import { runStates, Status } from "../../ui/status.tsx";
import { useNow } from "../../ui/time.tsx";
import type { RunDetail } from "../api.ts";
import { Facts, notRecorded } from "../inspector/facts.tsx";
import type { RunStore } from "../run-store.ts";
import { visibleLine } from "../text/visible.ts";
import type { ExportFormat } from "../export/export-formats.ts";
import { Actions, type RunDialog } from "./actions.tsx";
import { Gauges } from "./gauges.tsx";

const Origin = loadLater(() => import("./origin.tsx").then((module) => module.Origin));
const FailureBox = loadLater(() => import("./failure-box.tsx").then((module) => module.FailureBox));

interface Props {
  store: RunStore;
  detail: RunDetail;
  /** The reader has nothing but this run. */
  readOnly: boolean;
  /** Stop was accepted, and the run has not ended yet. */
  stopping: boolean;
  onOpen: (dialog: RunDialog) => void;
  onAgain: () => void;
  onLink: () => void;
  onExport: (format: ExportFormat | "bundle") => void;
}

/** Place and facts, name and actions, gauges: three lines, whatever they hold. */
export function RunHeader({ store, detail, readOnly, stopping, onOpen, onAgain, onLink, onExport }: Props) {
  const { agent_name: agent, agent_version: version } = detail;
  const forked = !readOnly && store.loaded.value && store.model.forked;
  return (
    <header class="run-header">
      <div class="run-place">
        {readOnly ? (
          <p class="breadcrumb">Shared run, only to read</p>
        ) : (
          <nav class="breadcrumb" aria-label="Breadcrumb">
            <a href="/console/runs">Runs</a>
            <Icon name="right" />
            <a href={`/console/agents/${detail.agent_id}`}>
              <bdi>{agent === null ? "Agent" : visibleLine(agent, 80)}</bdi>
            </a>
            {version !== null && <span>version {version}</span>}
          </nav>
        )}
        <HeaderFacts detail={detail} />
      </div>
      <div class="run-name">
        <h1 class="cut" title={detail.name}>
          <bdi>{visibleLine(detail.name)}</bdi>
        </h1>
        <Status state={detail.state} wire={detail.status} />
        <span class="visually-hidden" role="status">
          {runStates[detail.state].word}
        </span>
        {detail.open_calls.length > 0 && <span class="count-dot">{detail.open_calls.length}</span>}
        {forked && <Origin forked={forked} />}
        {detail.imported_from && <span class="badge">imported</span>}
        {detail.turn > 0 && <span class="badge">turn {detail.turn}</span>}
        {endedAtLimit(detail) && <span class="badge warn">limit</span>}
        {Object.entries(detail.labels).map(([name, value]) => (
          <Label key={name} text={`${name}=${value}`} readOnly={readOnly} />
        ))}
        {detail.queued_inputs > 0 && <span class="badge">{detail.queued_inputs} queued</span>}
        <span class="run-id" title={detail.id}>
          {shortRunId(detail.id)}
          <Button
            kind="plain"
            size="small"
            icon="copy"
            label="Copy the run's id"
            onClick={() => copyAndSay(detail.id, "Id copied")}
          />
        </span>
      </div>
      <Actions
        detail={detail}
        readOnly={readOnly}
        stopping={stopping}
        onOpen={onOpen}
        onAgain={onAgain}
        onLink={onLink}
        onExport={onExport}
      />
      <Gauges store={store} detail={detail} />
      {store.error.value && (
        <div class="note bad run-failure" role="alert">
          <Icon name="warning" />
          <p>The page is not kept up to date: {store.error.value.message} Reload it to try again.</p>
        </div>
      )}
      {detail.failure && (
        <FailureBox detail={detail} failure={detail.failure} onAgain={readOnly ? undefined : onAgain} />
      )}
    </header>
  );
}

/** A label of the run. Operators get the runs with it. */
function Label({ text, readOnly }: { text: string; readOnly: boolean }) {
  const shown = <bdi>{visibleLine(text, 40)}</bdi>;
  if (readOnly) return <span class="badge">{shown}</span>;
  const runs = pageUrl("runs", { label: text, since: "all" });
  return (
    <a class="badge" href={runs} title={`Show runs with the label ${text}`}>
      {shown}
    </a>
  );
}

type Fact = ComponentProps<typeof Facts>["facts"][number];

function HeaderFacts({ detail }: { detail: RunDetail }) {
  const started = Date.parse(detail.created_at);
  const now = useNow();
  const { started_by: starter } = detail;
  const startedBy = starter && visibleLine(starterText(starter), 60);
  return (
    <Facts
      facts={[
        [
          "Model",
          detail.model === null ? notRecorded : <bdi title={detail.model}>{visibleLine(detail.model, 80)}</bdi>,
        ],
        ...(startedBy ? [["Started by", <bdi title={startedBy}>{startedBy}</bdi>] as Fact] : []),
        [
          "Started",
          <time dateTime={detail.created_at} title={formatDateTime(detail.created_at)}>
            {formatClock(started)}, {formatRelative(started, now)}
          </time>,
        ],
      ]}
    />
  );
}

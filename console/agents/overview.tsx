import { call } from "../api/client.ts";
import type { Agent, Schemas } from "../api/types.ts";
import { useResource } from "../api/use-resource.ts";
import { defaultEnvironment, environmentTools, systemText } from "../environments.ts";
import { formatBytes, formatDollars, formatNumber } from "../format.ts";
import { limitsText } from "../limits-text.ts";
import { me } from "../api/session.ts";
import { costOf, costText, sumOfCosts } from "../state/cost.ts";
import { pageUrl } from "../state/url.ts";
import { Fact } from "../ui/fact.tsx";
import { Gauge } from "../ui/gauge.tsx";
import { Status } from "../ui/status.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { Warning } from "../ui/problem.tsx";
import { draftOf, readKeys } from "./agent-calls.ts";
import { type Draft, isObject, type Json, textOf } from "../form/json.ts";
import { agentField } from "./form/layout.ts";

const recentRuns = 6;
const usageDays = 14;

/** What an agent is, what it did lately, and what keeps it from working. */
export function Overview({ agent }: { agent: Agent }) {
  const definition = draftOf(agent);
  return (
    <>
      {agent.warnings.map((warning) => (
        <Warning key={warning}>{warning}</Warning>
      ))}
      <div class="overview">
        <div class="stack">
          <RecentRuns agentId={agent.id} />
          <section class="panel">
            <header class="panel-head">
              <h2>Instructions</h2>
              <a class="button small" href={pageUrl(`agents/${agent.id}`, { tab: "edit" })}>
                Edit
              </a>
            </header>
            <p class="instructions-text">{textOf(definition["instructions"])}</p>
          </section>
        </div>
        <div class="stack">
          <UsageFigures agentId={agent.id} />
          <LimitsInUse agentId={agent.id} />
          <section class="panel">
            <header class="panel-head">
              <h2>Definition</h2>
            </header>
            <dl class="facts">
              <Fact name="Model">
                {agent.model === null ? (
                  <a href={pageUrl("models")}>The organization has no model. Set one.</a>
                ) : (
                  <span class="mono">{agent.model}</span>
                )}
              </Fact>
              <Fact name="Tools">
                <span class="mono">{toolsOf(definition["tools"]).join(", ") || "none"}</span>
              </Fact>
              <Programs definition={definition} />
              <Fact name="MCP servers">{serversOf(definition["mcp"]).join(", ") || "none"}</Fact>
              <Fact name="Limits of one turn">{limitsText(definition["limits"]) ?? "none"}</Fact>
              <Fact name="Limits of the run">{limitsText(definition["runLimits"]) ?? "none"}</Fact>
              <Fact name="Budget per day">
                {typeof definition["maxDollarsPerDay"] === "number"
                  ? formatDollars(definition["maxDollarsPerDay"], 2)
                  : "none"}
              </Fact>
              <KeyFact agentId={agent.id} />
              <Fact name="Created">
                <RelativeTime at={agent.created_at} />
              </Fact>
            </dl>
          </section>
        </div>
      </div>
    </>
  );
}

/** In which Linux programs of the agent run. Without a tool that needs one, or where none is known: nothing. */
function Programs({ definition }: { definition: Draft }) {
  const known = me.value?.environments;
  const tools = toolsOf(definition["tools"]).filter((tool) => environmentTools.has(tool));
  if (tools.length === 0 || !known) return null;
  const name = textOf(definition["environment"]) || defaultEnvironment;
  const found = known.find((each) => each.name === name);
  return (
    <Fact name="Environment">
      <span class="mono">{name}</span>
      {found?.unavailable === null ? `, ${systemText(found)}` : ", not available here"}
    </Fact>
  );
}

function toolsOf(tools: Json | undefined): string[] {
  if (Array.isArray(tools)) return tools.map(textOf);
  const field = agentField("tools");
  return field.kind === "checks" ? field.preset : [];
}

function serversOf(servers: Json | undefined): string[] {
  return Array.isArray(servers) ? servers.filter(isObject).map(({ name }) => textOf(name)) : [];
}

function KeyFact({ agentId }: { agentId: string }) {
  const { data: keys } = useResource(agentId, () => readKeys(agentId));
  const url = pageUrl(`agents/${agentId}`, { tab: "keys" });
  if (!keys) return null;
  const enabled = keys.filter((key) => key.enabled).length;
  return (
    <Fact name="API keys">{enabled > 0 ? <a href={url}>{enabled} enabled</a> : <a href={url}>Create a key</a>}</Fact>
  );
}

function RecentRuns({ agentId }: { agentId: string }) {
  const { data: runs } = useResource(
    agentId,
    async (signal) => (await call("list_runs", { agent_id: agentId, limit: recentRuns }, { signal })).data,
    10_000,
  );
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>Latest runs</h2>
        <a class="button small" href={pageUrl("runs", { agent: agentId })}>
          All runs
        </a>
      </header>
      {runs?.length === 0 && <p class="none">No runs yet. Start run begins one.</p>}
      <ul class="run-list">
        {runs?.map((run) => (
          <li key={run.id}>
            <Status state={run.state} wire={run.status} />
            <a class="cut" href={pageUrl(`runs/${run.id}`)}>
              <bdi>{run.name}</bdi>
            </a>
            <span class="muted">
              <RelativeTime at={run.created_at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function UsageFigures({ agentId }: { agentId: string }) {
  const { data } = useResource(agentId, (signal) => {
    const since = new Date(Date.now() - usageDays * 86_400_000).toISOString().slice(0, 10);
    return call("get_usage", { agent_id: agentId, since }, { signal });
  });
  const sum = (of: (row: Schemas["UsageRow"]) => number): number =>
    data?.data.reduce((total, row) => total + of(row), 0) ?? 0;
  const runs = sum((row) => row.runs);
  const figures = [
    ["Runs", formatNumber(runs)],
    ["Tokens", formatNumber(sum((row) => row.input_tokens + row.output_tokens))],
    ["Cost", costText(sumOfCosts(data?.data.map(costOf) ?? []))],
  ];
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>Last {usageDays} days</h2>
        <a class="button small" href={pageUrl("usage")}>
          Usage
        </a>
      </header>
      <dl class="small-figures">
        {figures.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{data ? value : "–"}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** What the agent's files and streams use of their limits now. */
function LimitsInUse({ agentId }: { agentId: string }) {
  const { data: use } = useResource(
    agentId,
    (signal) => call("get_agent_use", { agent_id: agentId }, { signal }),
    10_000,
  );
  if (!use) return null;
  const gauges = [
    ["Stored files", use.stored_bytes, formatBytes],
    ["Pending uploads", use.pending_uploads, formatNumber],
    ["Bytes of pending uploads", use.pending_upload_bytes, formatBytes],
    ["Open streams", use.open_streams, formatNumber],
  ] as const;
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>In use now</h2>
      </header>
      <div class="panel-body limits-in-use">
        {gauges.map(
          ([label, of, format]) =>
            of && <Gauge key={label} label={label} value={of.used} limit={of.limit} format={format} />,
        )}
      </div>
    </section>
  );
}

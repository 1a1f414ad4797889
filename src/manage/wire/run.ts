import { type NamedStarter, starterName } from "../../accounts/starter.ts";
import { wireRunFields, wireTurnFields } from "../../http/rest/wire/run.ts";
import type { RecentActivity } from "../../runs/read/agent-activity.ts";
import type { DescribedRun, RunDetail } from "../../runs/read/describe-runs.ts";
import { type FailureGroup, lastAt } from "../../runs/read/failures.ts";
import type { DayUsage } from "../../runs/read/usage-by-day.ts";
import type { ImportOrigin } from "../../runs/types.ts";
import type { Schemas } from "../call.ts";
import { wire } from "./by-schema.ts";

export function wireRun(described: DescribedRun): Schemas["Run"] {
  const { run, agent, startedBy } = described;
  const { agentId, organizationId } = run;
  const owner = { agent_id: agentId, agent_name: agent?.name ?? null, organization_id: organizationId };
  const started_by = startedBy ? wireStarter(startedBy) : null;
  const imported_from = run.imported ? wireOrigin(run.imported) : null;
  return { ...wireRunFields(described), ...owner, started_by, imported_from };
}

function wireOrigin({ runId, sha256, run }: ImportOrigin): Schemas["ImportOrigin"] {
  return wire("ImportOrigin", { ...run, runId, bundleSha256: sha256 });
}

export function wireStarter(starter: NamedStarter): Schemas["Starter"] {
  return { kind: starter.kind, id: starter.id, name: starterName(starter) };
}

export function wireDetail(detail: RunDetail): Schemas["RunDetail"] {
  const { agent, agentVersion, environment } = detail;
  const version = { agent_version: agentVersion ?? null, agent_status: agent?.status ?? null };
  return { ...wireRun(detail), ...wireTurnFields(detail), ...version, environment: environment ?? null };
}

export function wireDayUsage({ used, ...row }: DayUsage): Schemas["UsageRow"] {
  return wire("UsageRow", { ...row, ...used, milliseconds: Math.round(used.milliseconds) });
}

export function wireFailures(group: FailureGroup): Schemas["FailureGroup"] {
  return wire("FailureGroup", { ...group, agents: group.agentIds.size, lastAt: lastAt(group) });
}

export function wireActivity({ agents, coversSince }: RecentActivity): Schemas["AgentActivityReport"] {
  const data = agents.map((agent) => ({ ...agent, dollars: agent.used.dollars }));
  return wire("AgentActivityReport", { data, coversSince });
}

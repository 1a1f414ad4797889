import { type NamedStarter, starterName } from "../../accounts/starter.ts";
import { detailFieldsOf, runFieldsOf } from "../../http/rest/wire/run.ts";
import type { RecentActivity } from "../../runs/read/reports/agent-activity.ts";
import type { DescribedRun, RunDetail } from "../../runs/read/describe-runs.ts";
import { type FailureGroup, lastAt } from "../../runs/read/reports/failures.ts";
import type { DayUsage } from "../../runs/read/reports/usage-by-day.ts";
import type { Schemas } from "../call.ts";
import { wire } from "./by-schema.ts";

export function wireRun(described: DescribedRun): Schemas["Run"] {
  return wire("Run", { ...runFieldsOf(described), ...forOperators(described) });
}

export function wireDetail(detail: RunDetail): Schemas["RunDetail"] {
  return wire("RunDetail", { ...detailFieldsOf(detail), ...forOperators(detail), agentStatus: detail.agent?.status });
}

function forOperators({ run, agent, startedBy }: DescribedRun) {
  const { imported } = run;
  return {
    agentName: agent?.name,
    startedBy: startedBy && wireStarter(startedBy),
    importedFrom: imported && { ...imported.run, runId: imported.runId, bundleSha256: imported.sha256 },
  };
}

export function wireStarter(starter: NamedStarter): Schemas["Starter"] {
  return { kind: starter.kind, id: starter.id, name: starterName(starter) };
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

import { type NamedStarter, starterName } from "../../accounts/starter.ts";
import { wireRunFields, wireTurnFields, wireUsage } from "../../http/rest/wire/run.ts";
import type { Activity } from "../../runs/read/agent-activity.ts";
import type { DescribedRun, RunDetail } from "../../runs/read/describe-runs.ts";
import { type FailureGroup, lastAt } from "../../runs/read/failures.ts";
import type { DayUsage } from "../../runs/read/usage-by-day.ts";
import { timeOf } from "../../http/rest/wire/time.ts";
import type { ImportOrigin } from "../../runs/types.ts";
import type { Schemas } from "../call.ts";

export function wireRun(described: DescribedRun): Schemas["Run"] {
  const { run, agent, startedBy } = described;
  const { agentId, organizationId } = run;
  const owner = { agent_id: agentId, agent_name: agent?.name ?? null, organization_id: organizationId };
  const started_by = startedBy ? wireStarter(startedBy) : null;
  const imported_from = run.imported ? wireOrigin(run.imported) : null;
  return { ...wireRunFields(described), ...owner, started_by, imported_from };
}

function wireOrigin({ runId, sha256, run }: ImportOrigin): Schemas["ImportOrigin"] {
  const times = { created_at: timeOf(run?.createdAt), updated_at: timeOf(run?.updatedAt) };
  return { run_id: runId, bundle_sha256: sha256, ...times };
}

export function wireStarter(starter: NamedStarter): Schemas["Starter"] {
  return { kind: starter.kind, id: starter.id, name: starterName(starter) };
}

export function wireDetail(detail: RunDetail): Schemas["RunDetail"] {
  const { agent, agentVersion, environment } = detail;
  const version = { agent_version: agentVersion ?? null, agent_status: agent?.status ?? null };
  return { ...wireRun(detail), ...wireTurnFields(detail), ...version, environment: environment ?? null };
}

export function wireDayUsage(row: DayUsage): Schemas["UsageRow"] {
  const { day, organizationId, agentId, model, runs, technicalErrors, used, unpricedTokens } = row;
  const { steps, input_tokens, output_tokens, cached_input_tokens, estimated_tokens, ...others } = wireUsage(used);
  const { dollars, milliseconds } = others;
  return {
    day,
    organization_id: organizationId,
    agent_id: agentId,
    model: model ?? null,
    runs,
    technical_errors: technicalErrors,
    steps,
    input_tokens,
    output_tokens,
    cached_input_tokens,
    estimated_tokens,
    dollars,
    unpriced_tokens: unpricedTokens,
    milliseconds,
  };
}

export function wireFailures(group: FailureGroup): Schemas["FailureGroup"] {
  const { category, title, remedy, runs, agentIds, firstAt, newest } = group;
  return {
    category,
    title,
    remedy,
    runs,
    agents: agentIds.size,
    first_at: timeOf(firstAt),
    last_at: timeOf(lastAt(group)),
    newest: newest.map(({ id, name, agentId, createdAt }) => ({
      id,
      name,
      agent_id: agentId,
      created_at: timeOf(createdAt),
    })),
  };
}

export function wireActivity({ agents, coversSince }: Activity): Schemas["AgentActivityReport"] {
  return {
    data: agents.map(({ agentId, runs, running, technicalErrors, used, unpricedTokens, lastRunAt }) => ({
      agent_id: agentId,
      runs,
      technical_errors: technicalErrors,
      dollars: wireUsage(used).dollars,
      unpriced_tokens: unpricedTokens,
      running,
      last_run_at: timeOf(lastRunAt),
    })),
    covers_since: coversSince === undefined ? null : timeOf(coversSince),
  };
}

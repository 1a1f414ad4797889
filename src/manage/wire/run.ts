import { wireRunFields, wireTurnFields, wireUsage } from "../../http/rest/wire/run.ts";
import type { DescribedRun, RunDetail } from "../../runs/read/describe-runs.ts";
import type { DayUsage } from "../../runs/read/usage-by-day.ts";
import type { Schemas } from "../call.ts";

export function wireRun(described: DescribedRun): Schemas["Run"] {
  const { run, agent } = described;
  const { agentId, organizationId } = run;
  const owner = { agent_id: agentId, agent_name: agent?.name ?? null, organization_id: organizationId };
  return { ...wireRunFields(described), ...owner };
}

export function wireDetail(detail: RunDetail): Schemas["RunDetail"] {
  const { agent, agentVersion, environment } = detail;
  const version = { agent_version: agentVersion ?? null, agent_status: agent?.status ?? null };
  return { ...wireRun(detail), ...wireTurnFields(detail), ...version, environment: environment ?? null };
}

export function wireDayUsage({ day, organizationId, agentId, model, runs, used }: DayUsage): Schemas["UsageRow"] {
  const { steps, input_tokens, output_tokens, cached_input_tokens, dollars, milliseconds } = wireUsage(used);
  return {
    day,
    organization_id: organizationId,
    agent_id: agentId,
    model: model ?? null,
    runs,
    steps,
    input_tokens,
    output_tokens,
    cached_input_tokens,
    dollars,
    milliseconds,
  };
}

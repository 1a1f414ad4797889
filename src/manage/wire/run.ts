import { noUsage, type RunLimits, type Usage } from "../../agent/turn/limits.ts";
import type { DescribedRun, RunDetail } from "../../runs/describe-runs.ts";
import type { Activity } from "../../runs/run-progress.ts";
import type { DayUsage } from "../../runs/usage-by-day.ts";
import type { Schemas } from "../call.ts";
import { timeOf } from "./time.ts";

export function wireRun({ run, state, agent, inputExcerpt, finishReason, activity }: DescribedRun): Schemas["Run"] {
  const { id, name, agentId, organizationId, status, turn, queued, createdAt, updatedAt, sequence } = run;
  return {
    id,
    name,
    agent_id: agentId,
    agent_name: agent?.name ?? null,
    organization_id: organizationId,
    status,
    state,
    turn,
    queued_inputs: queued ?? 0,
    created_at: timeOf(createdAt),
    updated_at: timeOf(updatedAt),
    sequence,
    model: run.model ?? null,
    usage: wireUsage(run.used ?? noUsage),
    failure: run.failure ?? null,
    finish_reason: finishReason ?? null,
    input_excerpt: inputExcerpt ?? null,
    activity: activity ? wireActivity(activity) : null,
  };
}

export function wireDetail(detail: RunDetail): Schemas["RunDetail"] {
  const { agent, limits, runLimits, agentVersion, turnUsage, turnStartedAt } = detail;
  return {
    ...wireRun(detail),
    // The turn's limits are known with those of the run, which an agent need not have.
    limits: { turn: limits ? wireLimits(limits) : null, run: limits ? wireLimits(runLimits ?? {}) : null },
    agent_version: agentVersion ?? null,
    agent_status: agent?.status ?? null,
    turn_usage: wireUsage(turnUsage),
    turn_started_at: timeOf(turnStartedAt),
  };
}

export function wireActivity({ kind, turn, step, tools, since, until }: Activity): Schemas["Activity"] {
  return { kind, turn, step, tools, since: timeOf(since), until: timeOf(until) };
}

export function wireUsage({ milliseconds, dollars, ...used }: Usage): Schemas["Usage"] {
  return {
    steps: used.steps,
    input_tokens: used.inputTokens,
    output_tokens: used.outputTokens,
    // Totals that an earlier release stored lack fields that were added later.
    cached_input_tokens: used.cachedInputTokens ?? 0,
    cache_write_input_tokens: used.cacheWriteInputTokens ?? 0,
    reasoning_tokens: used.reasoningTokens ?? 0,
    milliseconds: Math.round(milliseconds ?? 0),
    dollars: dollars ?? 0,
  };
}

function wireLimits(limits: RunLimits): Schemas["Limits"] {
  return { ...limits };
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

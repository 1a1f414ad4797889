import { noUsage, type RunLimits, type Usage } from "../../../agent/turn/limits.ts";
import type { FileVersion } from "../../../agent/turn/manifest.ts";
import { problemsText, type ResultProblem } from "../../../results/types.ts";
import type { DescribedRun, RunDetail } from "../../../runs/read/describe-runs.ts";
import type { AskedCall } from "../../../runs/read/open-calls.ts";
import type { RunActivity } from "../../../runs/read/run-progress.ts";
import type { ChangedFile } from "../../../runs/files/read-files.ts";
import type { ChosenSettings } from "../../../runs/chosen-settings.ts";
import type { SharedSchemas } from "../schemas/types.ts";
import { timeOf } from "./time.ts";

/** Fields of a create. */
interface Choices {
  model?: string;
  limits?: { turn?: RunLimits; run?: RunLimits };
}

/** The fields of a run that all APIs have. */
export function wireRunFields({ run, state, inputExcerpt, finishReason, activity }: DescribedRun) {
  const { id, name, status, turn, queued, createdAt, updatedAt, sequence } = run;
  return {
    id,
    name,
    labels: run.labels ?? {},
    status,
    state,
    turn,
    queued_inputs: queued ?? 0,
    created_at: timeOf(createdAt),
    updated_at: timeOf(updatedAt),
    sequence,
    chosen: run.chosen ? wireChosen(run.chosen) : null,
    model: run.model ?? null,
    usage: wireUsage(run.used ?? noUsage),
    failure: run.failure ?? null,
    finish_reason: finishReason ?? null,
    input_excerpt: inputExcerpt ?? null,
    activity: activity ? wireActivity(activity) : null,
  };
}

/** The fields of a run's current turn. */
export function wireTurnFields({ limits, runLimits, turnUsage, turnStartedAt, openCalls, checked }: RunDetail) {
  return {
    // The turn's limits are known with those of the run, which an agent need not have.
    limits: { turn: limits ? wireLimits(limits) : null, run: limits ? wireLimits(runLimits ?? {}) : null },
    turn_usage: wireUsage(turnUsage),
    turn_started_at: timeOf(turnStartedAt),
    open_calls: openCalls.map(wireOpenCall),
    result_error: wireResultError(checked?.problems),
  };
}

export function wireOpenCall(call: AskedCall): SharedSchemas["OpenCall"] {
  const { id, kind, name, argumentsHash, since, until } = call;
  const shown = { arguments: call.arguments, arguments_sha256: argumentsHash };
  return { id, kind, name, ...shown, since: timeOf(since), until: timeOf(until) };
}

/** Undefined problems: there is no error. */
function wireResultError(problems: ResultProblem[] | undefined): SharedSchemas["ResultError"] | null {
  if (!problems) return null;
  return { message: `The result does not fit its schema: ${problemsText(problems)}.`, problems };
}

function wireActivity({ kind, turn, step, tools, since, until }: RunActivity): SharedSchemas["Activity"] {
  return { kind, turn, step, tools, since: timeOf(since), until: timeOf(until) };
}

export function wireUsage({ milliseconds, dollars, ...used }: Usage): SharedSchemas["Usage"] {
  return {
    steps: used.steps,
    input_tokens: used.inputTokens,
    output_tokens: used.outputTokens,
    // Totals that an earlier release stored lack fields that were added later.
    cached_input_tokens: used.cachedInputTokens ?? 0,
    cache_write_input_tokens: used.cacheWriteInputTokens ?? 0,
    reasoning_tokens: used.reasoningTokens ?? 0,
    estimated_tokens: used.estimatedTokens ?? 0,
    milliseconds: Math.round(milliseconds ?? 0),
    dollars: dollars ?? 0,
  };
}

export function wireLimits(limits: RunLimits): SharedSchemas["Limits"] {
  return { ...limits };
}

function wireChosen({ model, limits = {}, runLimits = {} }: ChosenSettings): SharedSchemas["ChosenSettings"] {
  return { model: model ?? null, limits: { turn: wireLimits(limits), run: wireLimits(runLimits) } };
}

/** What a create chooses for its run. Undefined: nothing. */
export function chosenIn({ model, limits: { turn = {}, run = {} } = {} }: Choices): ChosenSettings | undefined {
  const chosen: ChosenSettings = {
    ...(model !== undefined && { model }),
    ...(Object.keys(turn).length > 0 && { limits: turn }),
    ...(Object.keys(run).length > 0 && { runLimits: run }),
  };
  return Object.keys(chosen).length > 0 ? chosen : undefined;
}

/** The files of a create, in its order. */
export function wireCreatedFiles(files: FileVersion[]): SharedSchemas["CreatedFile"][] {
  return files.map(({ name, sentAs }) => ({ name, sent_as: sentAs ?? null }));
}

export function wireFile({
  name,
  size,
  sha256,
  sentAs,
  changedAt,
  ...metadata
}: ChangedFile): SharedSchemas["RunFile"] {
  const changed_at_step = changedAt ? `${changedAt.turn}.${changedAt.step}` : null;
  const { kind = "file", mtime, mode = kind === "folder" ? 0o755 : 0o644 } = metadata;
  return {
    name,
    size,
    sha256: sha256 ?? null,
    sent_as: sentAs ?? null,
    changed_at_step,
    kind,
    mode: mode.toString(8).padStart(3, "0"),
    modified_at: timeOf(mtime === undefined ? undefined : mtime / 1_000),
  };
}

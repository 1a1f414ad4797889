import { noUsage, type RunLimits, type Usage } from "../../../agent/turn/turn-limits.ts";
import { problemsText } from "../../../results/result-types.ts";
import type { ChosenSettings } from "../../../runs/begin/chosen-settings.ts";
import type { ChangedFile } from "../../../runs/files/read-files.ts";
import type { DescribedRun, RunDetail } from "../../../runs/read/describe-runs.ts";
import type { AskedCall } from "../../../runs/read/open-calls.ts";
import { runPartSchemas } from "../schemas/run-schemas.ts";
import { usageSchemas } from "../schemas/usage-schemas.ts";
import { wireBySchema } from "./by-schema.ts";

/** The schemas of parts of runs that the APIs share. */
export const runParts = { ...runPartSchemas, ...usageSchemas };

/** Gives a value the form of one of them. */
export const wirePart = wireBySchema(runParts);

/** Fields of a create. */
export interface Choices {
  model?: string;
  limits?: { turn?: RunLimits; run?: RunLimits };
}

/** A run for `wireBySchema`, with the fields that all APIs have, and those of `Run` and of its agent. */
export function runFieldsOf({ run, ...described }: DescribedRun) {
  const { labels = {}, queued = 0, used = noUsage, chosen } = run;
  const { model, limits = {}, runLimits = {} } = chosen ?? {};
  return {
    ...run,
    ...described,
    labels,
    queuedInputs: queued,
    usage: usageOf(used),
    chosen: chosen && { model, limits: { turn: limits, run: runLimits } },
  };
}

/** The same with the fields of its current turn. */
export function detailFieldsOf(detail: RunDetail) {
  const { limits, runLimits = {}, turnUsage, openCalls, checked } = detail;
  const problems = checked?.problems;
  return {
    ...detail,
    ...runFieldsOf(detail),
    // The turn's limits are known with those of the run, which an agent need not have.
    limits: { turn: limits, run: limits && runLimits },
    turnUsage: usageOf(turnUsage),
    openCalls: openCalls.map(callFieldsOf),
    resultError: problems && {
      message: `The result does not fit its schema: ${problemsText(problems)}.`,
      problems,
    },
  };
}

export const callFieldsOf = (call: AskedCall) => ({ ...call, argumentsSha256: call.argumentsHash });

/** Totals that an earlier release stored lack fields that were added later. */
function usageOf(stored: Partial<Usage>): Usage {
  const used = { ...noUsage, ...stored };
  return { ...used, milliseconds: Math.round(used.milliseconds) };
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

export function wireFile({ changedAt, mtime, ...file }: ChangedFile) {
  const { kind = "file" as const, mode = kind === "folder" ? 0o755 : 0o644 } = file;
  return wirePart("RunFile", {
    ...file,
    kind,
    changedAtStep: changedAt && `${changedAt.turn}.${changedAt.step}`,
    mode: mode.toString(8).padStart(3, "0"),
    modifiedAt: mtime === undefined ? undefined : mtime / 1_000,
  });
}
